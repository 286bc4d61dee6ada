import { NETWORK_ATTACHMENT_DEFINITIONS } from '../../api/index.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, type KubeClient } from '@groundcrew/controller-runtime';
import { registerNetworks } from '@groundcrew/kubevirt-simulator/networks';
import { eventually } from './eventually.ts';

const NAME = `${NETWORK_ATTACHMENT_DEFINITIONS.plural}.${NETWORK_ATTACHMENT_DEFINITIONS.group}`;

/** Installs the CRD of net-attach-defs as Multus does, and resolves when it is served. */
export async function installMultus(client: KubeClient): Promise<void> {
  await registerNetworks(client);
  await eventually(() => client.list(NETWORK_ATTACHMENT_DEFINITIONS));
}

/** Deletes the CRD with all net-attach-defs: another test file may have installed it on the server. */
export async function uninstallMultus(client: KubeClient): Promise<void> {
  await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: NAME });
  await eventually(
    async () => {
      if ((await client.find(CUSTOM_RESOURCE_DEFINITIONS, { name: NAME })) !== undefined)
        throw new Error(`${NAME} is still there`);
    },
    { timeout: 30_000 },
  );
}
