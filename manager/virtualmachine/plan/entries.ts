import {
  canonicalMac,
  networkKey,
  type VirtualMachineNetworkConfig,
  type VirtualMachineNetworkConfigSpec,
} from '../../../api/index.ts';
import type { Inputs } from './inputs.ts';
import { macOf } from './mac-of.ts';
import type { ManagedInterface } from './managed-interfaces.ts';
import { rememberedAddresses } from './static-addresses.ts';

/** One interface in a config. */
export type Entry = NonNullable<VirtualMachineNetworkConfigSpec['networkConfigs']>[number];

/**
 * The desired entries of the config, in the order of the interfaces. Fields that a user added to the existing config
 * (`ipAddress`, `retain`) are kept, except where an annotation sets them or used to. An interface with unknown MAC
 * address keeps its previous one, and thus its lease; without a previous one it is left out.
 */
export function entriesOf(
  interfaces: readonly ManagedInterface[],
  { vm, instance }: Inputs,
  existing: VirtualMachineNetworkConfig | undefined,
  asked: Readonly<Record<string, string>>,
): Entry[] {
  const left = new Set(existing === undefined ? [] : entriesIn(existing));
  const remembered = rememberedAddresses(existing?.metadata.annotations);
  const known = interfaces.map((each) => ({ ...each, mac: macOf(each.name, vm, instance) }));
  const take = (match: (entry: Entry) => boolean): Entry | undefined => {
    const found = [...left].find(match);
    if (found !== undefined) left.delete(found);
    return found;
  };
  // Interfaces with a known MAC address first; the remaining entries may belong to those whose MAC address has changed.
  const sure = known.map(({ network, mac }) =>
    take((entry) => entry.networkName === network && entry.macAddress === mac),
  );
  return known.flatMap(({ name, network, mac, index: place }, index) => {
    const before = sure[index] ?? take((entry) => entry.networkName === network);
    const macAddress = mac ?? before?.macAddress;
    if (macAddress === undefined) return [];
    // Current requests apply to the interface in the template.
    const isOutlived = place === undefined;
    const kept = before?.ipAddress === remembered[name] && !isOutlived ? undefined : before?.ipAddress;
    const ipAddress = isOutlived ? kept : (asked[name] ?? kept);
    return [
      {
        networkName: network,
        macAddress,
        ...(ipAddress === undefined ? {} : { ipAddress }),
        ...(before?.retain === undefined ? {} : { retain: before.retain }),
      },
    ];
  });
}

function entriesIn({ metadata, spec }: VirtualMachineNetworkConfig): Entry[] {
  return (spec.networkConfigs ?? []).map((entry) => ({
    ...entry,
    networkName: networkKey(entry.networkName, metadata.namespace ?? ''),
    macAddress: canonicalMac(entry.macAddress) ?? entry.macAddress,
  }));
}
