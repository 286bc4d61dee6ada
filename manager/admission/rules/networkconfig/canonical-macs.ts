import { canonicalMac, type JsonPatchOp } from '../../../../api/index.ts';

/** Converts MAC addresses to the canonical form. The object is not validated yet; invalid addresses are left to schema validation. */
export function canonicalMacs(object: object): JsonPatchOp[] {
  const spec: unknown = 'spec' in object ? object.spec : undefined;
  const list: unknown =
    typeof spec === 'object' && spec !== null && 'networkConfigs' in spec ? spec.networkConfigs : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown, index): JsonPatchOp[] => {
    if (typeof entry !== 'object' || entry === null || !('macAddress' in entry)) return [];
    const { macAddress } = entry;
    const mac = typeof macAddress === 'string' ? canonicalMac(macAddress) : undefined;
    if (mac === undefined || mac === macAddress) return [];
    return [{ op: 'replace', path: `/spec/networkConfigs/${index}/macAddress`, value: mac }];
  });
}
