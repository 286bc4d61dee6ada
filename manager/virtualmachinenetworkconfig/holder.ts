import type { VirtualMachine } from '../../api/index.ts';
import type { Holder } from '../ipam/index.ts';
import type { Inputs, InterfaceInputs } from './inputs.ts';
import { interfaceNameOf } from './interface-name.ts';

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
