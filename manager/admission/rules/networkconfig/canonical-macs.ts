import { canonicalMac, type JsonPatchOp } from '../../../../api/index.ts';

/**
 * MAC addresses are stored in one spelling, whatever people write. The object has not been checked against its schema
 * yet: what is no MAC address is left for that to refuse.
 */
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
