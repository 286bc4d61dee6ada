import { isRecord } from '@groundcrew/controller-runtime';
import {
  contains,
  formatIpv4,
  parseIpv4Cidr,
  parseIpv4Range,
  canonicalMac,
  type Ipv4,
  type JsonPatchOp,
} from '../../../api/index.ts';
import { CONFIG } from './pool-inputs.ts';

/**
 * Defaults of a new pool, as in vm-dhcp-controller: the server gets the first host of the network that is neither the
 * router nor excluded; the range goes from the first host to the last. The object is not validated yet; invalid values
 * are left to schema validation.
 */
export function defaultAddresses(object: unknown): JsonPatchOp[] {
  const config = field(field(object, 'spec'), 'ipv4Config');
  const cidr = parseIpv4Cidr(text(field(config, 'cidr')) ?? '');
  if (!isRecord(config) || cidr === undefined || cidr.prefix > 30) return [];
  const pool = config['pool'];
  const [first, last] = [cidr.first + 1, cidr.last - 1];
  const path = `/${CONFIG.replace('.', '/')}`;
  const patch: JsonPatchOp[] = [];
  const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';
  if (isEmpty(config['serverIP'])) {
    const [named] = list(config['serverIPs']);
    const server = text(named) ?? firstFree(first, last, text(config['router']), list(field(pool, 'exclude')));
    if (server !== undefined) patch.push({ op: 'add', path: `${path}/serverIP`, value: server });
  }
  if (isEmpty(pool)) patch.push({ op: 'add', path: `${path}/pool`, value: {} });
  else if (!isRecord(pool)) return patch;
  if (isEmpty(field(pool, 'start'))) patch.push({ op: 'add', path: `${path}/pool/start`, value: formatIpv4(first) });
  if (isEmpty(field(pool, 'end'))) patch.push({ op: 'add', path: `${path}/pool/end`, value: formatIpv4(last) });
  return patch;
}

function firstFree(first: Ipv4, last: Ipv4, router: string | undefined, exclude: unknown[]): string | undefined {
  // The list is not validated and may have any length: sort it and read each entry once.
  const taken = [router, ...exclude]
    .map((entry) => parseIpv4Range(text(entry) ?? ''))
    .filter((range) => range !== undefined)
    .sort((a, b) => a.first - b.first);
  let address = first;
  for (const range of taken) if (contains(range, address)) address = range.last + 1;
  return address <= last ? formatIpv4(address) : undefined;
}

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

/** Reads an object that the API server has not validated yet: any field may have any type. */

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
