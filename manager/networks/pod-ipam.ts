import type { NetworkAttachmentDefinition } from '../../api/index.ts';
import { mainPlugin, objectIn } from './wire.ts';

/**
 * The IPAM plugin by which a net-attach-def gives addresses to pods: `host-local`. KubeVirt then answers the DHCP requests of VMs
 * itself. Undefined if pods get no address, or if the VM has the device and not the pod (sriov).
 */
export function podIpamOf({ spec }: NetworkAttachmentDefinition): string | undefined {
  const main = mainPlugin(spec?.config ?? '');
  const { type, addresses } = objectIn(main['ipam']);
  if (typeof type !== 'string' || type === '' || main['type'] === 'sriov') return undefined;
  const isEmpty = type === 'static' && !(Array.isArray(addresses) && addresses.length > 0);
  return isEmpty ? undefined : type;
}
