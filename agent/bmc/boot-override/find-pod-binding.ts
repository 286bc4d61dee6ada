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
 * How the interface is bound that KubeVirt adds to a VM without interfaces: as its VMI has it, else as KubeVirt's configuration says.
 * Undefined: it adds none, or that cannot be known.
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
  // It starts no VM with the slirp interface that it once had.
  return configured === 'slirp' ? undefined : 'bridge';
}
