import {
  impliesInterface,
  podBindingOf,
  type PodBinding,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import { readKubeVirt } from '../machine/kubevirt-configuration.ts';

/**
 * The binding of the interface that KubeVirt adds to a VM without interfaces: from the VMI, else from KubeVirt's
 * configuration. Undefined: KubeVirt adds none, or it is unknown.
 *
 * @throws ApiError, TransportError
 */
export async function findPodBinding(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  client: KubeClient,
): Promise<PodBinding | undefined> {
  if (!impliesInterface(vm.spec.template.spec)) return undefined;
  if (vmi !== undefined) return podBindingOf(vmi.spec);
  const kubeVirt = await readKubeVirt(client);
  if (kubeVirt === undefined) return undefined;
  const configured = kubeVirt.spec?.configuration?.network?.defaultNetworkInterface;
  if (configured === 'masquerade') return 'masquerade';
  // KubeVirt no longer starts VMs with slirp.
  return configured === 'slirp' ? undefined : 'bridge';
}
