import { interfacesOf, type ConfigRule } from './inputs.ts';

/** Warns about a MAC address that another config has on the network: it gets no lease until that config is gone. */
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
