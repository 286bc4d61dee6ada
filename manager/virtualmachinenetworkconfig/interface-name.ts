import { canonicalMac, networkKey, type VirtualMachine } from '../../api/index.ts';

/**
 * The name of a VM's interface on a network: the one with the MAC address, else the only one without a MAC address.
 *
 * @param network `namespace/name` of the net-attach-def
 */
export function interfaceNameOf(vm: VirtualMachine, network: string, mac: string): string | undefined {
  const { networks = [], domain } = vm.spec.template.spec;
  const names = new Set(
    networks
      .filter(
        ({ multus }) => multus !== undefined && networkKey(multus.networkName, vm.metadata.namespace ?? '') === network,
      )
      .map(({ name }) => name),
  );
  const there = (domain.devices.interfaces ?? []).filter(({ name }) => names.has(name));
  const own = there.find(({ macAddress }) => macAddress !== undefined && canonicalMac(macAddress) === mac);
  const [first, second] = there.filter(({ macAddress }) => macAddress === undefined);
  return (own ?? (second === undefined ? first : undefined))?.name;
}
