import { interfacesOf, type ConfigRule } from './config-inputs.ts';
import { bootUrls } from './pool-options.ts';
import { requestedAddresses } from './requested-addresses.ts';
import { canonicalMac, type JsonPatchOp } from '../../../api/index.ts';
import { invalid, macProblem, type FieldError } from './verdict.ts';

/** Each interface needs a valid unicast MAC address that is unique on its network. */
const macAddresses: ConfigRule = (config) => {
  const errors: FieldError[] = [];
  const seen = new Map<string, number>();
  for (const [index, { field, entry, network, mac }] of interfacesOf(config).entries()) {
    const problem = macProblem(entry.macAddress);
    if (problem !== undefined) errors.push(invalid(`${field}.macAddress`, entry.macAddress, problem));
    const key = `${network} ${mac}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else
      errors.push({
        field: `${field}.macAddress`,
        type: 'Duplicate',
        value: entry.macAddress,
        detail: `is that of networkConfigs[${first}] on network ${network}`,
      });
  }
  return { errors };
};

/** Warns about a MAC address that another config has on the network: it gets no lease until that config is gone. */
const sharedMacs: ConfigRule = (config, _old, { othersWithMac }) => ({
  warnings: interfacesOf(config).flatMap(({ field, entry, network, mac }) => {
    const [other] = othersWithMac(network, mac);
    if (other === undefined) return [];
    const { namespace = '', name } = other.metadata;
    return [
      `${field}.macAddress: VirtualMachineNetworkConfig ${namespace}/${name} has ${entry.macAddress} on network ${network}; the younger of the two gets no address`,
    ];
  }),
});

/** Warns about boot files that clients cannot use. */
const bootFiles: ConfigRule = (config) => ({
  warnings: interfacesOf(config).flatMap(({ field, entry }) => bootUrls(`${field}.bootFiles`, entry.bootFiles ?? {})),
});

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

/** The rules for a config that is created or changed. */
export const CONFIG_RULES: readonly ConfigRule[] = [macAddresses, requestedAddresses, sharedMacs, bootFiles];
