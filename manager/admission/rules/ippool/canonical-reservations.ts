import { canonicalMac, type JsonPatchOp } from '../../../../api/index.ts';
import { CONFIG } from './inputs.ts';
import { field, isRecord, list, text } from './unstructured.ts';

/** Converts the MAC addresses of a pool's reservations to the canonical form. Invalid ones are left to schema validation. */
export function canonicalReservations(object: unknown): JsonPatchOp[] {
  const reservations = list(field(field(field(object, 'spec'), 'ipv4Config'), 'reservations'));
  return reservations.flatMap((entry, index): JsonPatchOp[] => {
    const macAddress = text(field(entry, 'macAddress'));
    const mac = macAddress === undefined ? undefined : canonicalMac(macAddress);
    if (!isRecord(entry) || mac === undefined || mac === macAddress) return [];
    return [{ op: 'replace', path: `/${CONFIG.replace('.', '/')}/reservations/${index}/macAddress`, value: mac }];
  });
}
