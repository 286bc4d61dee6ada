import {
  canonicalMac,
  networkKey,
  type IPLease,
  type IPPool,
  type Ipv4,
  type VirtualMachineNetworkConfig,
  type VirtualMachineNetworkConfigSpec,
} from '../../../api/index.ts';
import type { Rule } from './verdict.ts';

/** Inputs of the VirtualMachineNetworkConfig rules besides the config itself. */
export interface ConfigInputs {
  /** The pools of a network (`namespace/name`). */
  poolsOf: (network: string) => readonly IPPool[];
  /** The lease of an address, including a released one. */
  leaseAt: (pool: IPPool, address: Ipv4) => IPLease | undefined;
  /** Other configs that have the MAC address on the network. */
  othersWithMac: (network: string, mac: string) => readonly VirtualMachineNetworkConfig[];
}

export type ConfigRule = Rule<VirtualMachineNetworkConfig, ConfigInputs>;

export type Entry = NonNullable<VirtualMachineNetworkConfigSpec['networkConfigs']>[number];

/** An interface of a config, with its network and MAC address in canonical form. */
export interface Interface {
  /** `spec.networkConfigs[0]` */
  field: string;
  entry: Entry;
  network: string;
  /** Unchanged if it is not valid. */
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
