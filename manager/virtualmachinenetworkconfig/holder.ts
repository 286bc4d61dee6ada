import { canonicalMac, networkKey, type VirtualMachine } from '../../api/index.ts';
import type { Holder } from '../ipam/index.ts';
import type { Inputs, InterfaceInputs } from './inputs.ts';

/**
 * The holder of an interface's lease.
 *
 * @param vm undefined: it does not exist or has not been read yet
 */
export function holderOf(
  { config }: Inputs,
  { network, mac }: InterfaceInputs,
  vm: VirtualMachine | undefined,
  hostname: string | undefined,
): Holder {
  const { namespace = '', name, uid } = config.metadata;
  const { vmName } = config.spec;
  const interfaceName = vm === undefined ? undefined : interfaceNameOf(vm, network, mac);
  const vmUid = vm?.metadata.uid;
  return {
    macAddress: mac,
    vmNetworkConfigRef: { namespace, name, ...(uid === undefined ? {} : { uid }) },
    vmRef: { namespace, name: vmName, ...(vmUid === undefined ? {} : { uid: vmUid }) },
    ...(interfaceName === undefined ? {} : { interfaceName }),
    hostname: hostname ?? vmName,
  };
}

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
