import {
  NETWORK_CONFIG_FINALIZER,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';

export function hasFinalizer({ metadata }: VirtualMachineNetworkConfig): boolean {
  return metadata.finalizers?.includes(NETWORK_CONFIG_FINALIZER) === true;
}

/**
 * Writes the finalizers if the config has not changed.
 *
 * @throws ApiError 409 if it has changed
 */
export async function setFinalizer(
  config: VirtualMachineNetworkConfig,
  wanted: boolean,
  client: KubeClient,
): Promise<VirtualMachineNetworkConfig> {
  const { namespace = '', name, uid, resourceVersion, finalizers = [] } = config.metadata;
  const others = finalizers.filter((finalizer) => finalizer !== NETWORK_CONFIG_FINALIZER);
  return await client.patch(VIRTUAL_MACHINE_NETWORK_CONFIGS, { namespace, name }, 'merge', {
    metadata: { uid, resourceVersion, finalizers: wanted ? [...others, NETWORK_CONFIG_FINALIZER] : others },
  });
}
