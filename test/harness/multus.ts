import { NETWORK_ATTACHMENT_DEFINITIONS } from '../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import { registerNetworks } from '@groundcrew/kubevirt-simulator/networks';
import { eventually } from './eventually.ts';

/** Installs the CRD of net-attach-defs as Multus does, and resolves when it is served. */
export async function installMultus(client: KubeClient): Promise<void> {
  await registerNetworks(client);
  await eventually(() => client.list(NETWORK_ATTACHMENT_DEFINITIONS));
}
