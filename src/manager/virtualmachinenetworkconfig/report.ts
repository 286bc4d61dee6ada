import { isDeepStrictEqual } from 'node:util';
import {
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  type VirtualMachineNetworkConfig,
  type VirtualMachineNetworkConfigStatus,
} from '../../api/index.ts';
import type { Draft, KubeClient } from '../../kube/index.ts';

/**
 * Writes the status, where it is not so already.
 *
 * @returns the config as it is then, or undefined where nothing was written
 */
export async function report(
  config: VirtualMachineNetworkConfig,
  status: VirtualMachineNetworkConfigStatus,
  client: KubeClient,
): Promise<VirtualMachineNetworkConfig | undefined> {
  if (isDeepStrictEqual(config.status, status)) return undefined;
  const { namespace = '', name, uid } = config.metadata;
  // An apply to the status subresource has no spec, which the type of a whole object asks for.
  const draft = { metadata: { namespace, name, uid }, status } as unknown as Draft<VirtualMachineNetworkConfig>;
  return await client.apply(VIRTUAL_MACHINE_NETWORK_CONFIGS, draft, { subresource: 'status', force: true });
}
