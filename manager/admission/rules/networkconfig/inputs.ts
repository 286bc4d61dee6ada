import {
  canonicalMac,
  networkKey,
  type IPLease,
  type IPPool,
  type Ipv4,
  type VirtualMachineNetworkConfig,
  type VirtualMachineNetworkConfigSpec,
} from '../../../../api/index.ts';
import type { Rule } from '../verdict.ts';

/** What a VirtualMachineNetworkConfig is evaluated by, beside itself. */
export interface ConfigInputs {
  /** Of a network, `namespace/name`. */
  poolsOf: (network: string) => readonly IPPool[];
  /** The lease of an address, released or not. */
  leaseAt: (pool: IPPool, address: Ipv4) => IPLease | undefined;
  /** Other configs that have the MAC address on the network. */
  othersWithMac: (network: string, mac: string) => readonly VirtualMachineNetworkConfig[];
}

export type ConfigRule = Rule<VirtualMachineNetworkConfig, ConfigInputs>;

export type Entry = NonNullable<VirtualMachineNetworkConfigSpec['networkConfigs']>[number];

/** An interface of a config, with its network and MAC address as they are compared. */
export interface Interface {
  /** `spec.networkConfigs[0]` */
  field: string;
  entry: Entry;
  network: string;
  /** As it is written where it is none. */
  mac: string;
}

export function interfacesOf({ metadata, spec }: VirtualMachineNetworkConfig): Interface[] {
  return (spec.networkConfigs ?? []).map((entry, index) => ({
    field: `spec.networkConfigs[${index}]`,
    entry,
    network: networkKey(entry.networkName, metadata.namespace ?? ''),
    mac: canonicalMac(entry.macAddress) ?? entry.macAddress,
  }));
}
