import { interfacesOf, type ConfigRule } from './inputs.ts';

/** A MAC address that another config has on the network gets no lease until that one is gone: a condition says so. */
export const sharedMacs: ConfigRule = (config, _old, { othersWithMac }) => ({
  warnings: interfacesOf(config).flatMap(({ field, entry, network, mac }) => {
    const [other] = othersWithMac(network, mac);
    if (other === undefined) return [];
    const { namespace = '', name } = other.metadata;
    return [
      `${field}.macAddress: VirtualMachineNetworkConfig ${namespace}/${name} has ${entry.macAddress} on network ${network}; the younger of the two gets no address`,
    ];
  }),
});
