import {
  impliesInterface,
  type PodBinding,
  podBindingOf,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import {
  ApiError,
  type Kind,
  type KubeClient,
  type KubeObject,
  type RequestOptions,
} from '@groundcrew/controller-runtime';

/** The part of KubeVirt's configuration that agents use. */
export interface KubeVirt extends KubeObject {
  spec?: {
    configuration?: {
      developerConfiguration?: { featureGates?: string[]; disabledFeatureGates?: string[] };
      network?: { defaultNetworkInterface?: string };
      smbios?: { manufacturer?: string; product?: string; sku?: string };
    };
  };
  status?: { observedKubeVirtVersion?: string };
}

const KUBEVIRTS: Kind<KubeVirt> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'KubeVirt',
  plural: 'kubevirts',
  namespaced: true,
};

/**
 * KubeVirt's configuration, which by default every authenticated user may read; undefined if it may not be read or does not
 * exist.
 *
 * @throws ApiError, TransportError
 */
export async function readKubeVirt(client: KubeClient, options: RequestOptions = {}): Promise<KubeVirt | undefined> {
  try {
    const { items } = await client.list(KUBEVIRTS, { limit: 1, ...options });
    return items[0];
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}

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
  options: RequestOptions = {},
): Promise<PodBinding | undefined> {
  if (!impliesInterface(vm.spec.template.spec)) return undefined;
  if (vmi !== undefined) return podBindingOf(vmi.spec);
  const kubeVirt = await readKubeVirt(client, options);
  if (kubeVirt === undefined) return undefined;
  const configured = kubeVirt.spec?.configuration?.network?.defaultNetworkInterface;
  if (configured === 'masquerade') return 'masquerade';
  // KubeVirt no longer starts VMs with slirp.
  return configured === 'slirp' ? undefined : 'bridge';
}

const DECLARATIVE = 'DeclarativeHotplugVolumes';
/** Excludes the other one. */
const IMPERATIVE = 'HotplugVolumes';

/**
 * Whether KubeVirt plugs a volume of the VM's template into the running guest. If the configuration cannot be read, images
 * wait for the next boot.
 *
 * @throws ApiError, TransportError
 */
export async function hotplugsMedia(client: KubeClient): Promise<boolean> {
  const kubeVirt = await readKubeVirt(client);
  return kubeVirt !== undefined && isOpen(kubeVirt);
}

/** The gate is open by default since 1.9. */
export function isOpen({ spec, status }: Pick<KubeVirt, 'spec' | 'status'>): boolean {
  const { featureGates = [], disabledFeatureGates = [] } = spec?.configuration?.developerConfiguration ?? {};
  if (featureGates.includes(IMPERATIVE) || disabledFeatureGates.includes(DECLARATIVE)) return false;
  if (featureGates.includes(DECLARATIVE)) return true;
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(status?.observedKubeVirtVersion ?? '') ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 9);
}
