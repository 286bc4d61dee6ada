import { NETWORK_ATTACHMENT_DEFINITIONS } from '../../api/index.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, type KubeClient } from '@groundcrew/controller-runtime';
import { registerNetworks } from '@groundcrew/kubevirt-simulator/networks';
import { eventually } from './eventually.ts';

const NAME = `${NETWORK_ATTACHMENT_DEFINITIONS.plural}.${NETWORK_ATTACHMENT_DEFINITIONS.group}`;

/** Makes net-attach-defs known, as an installation of Multus does, and resolves when they are served. */
export async function installMultus(client: KubeClient): Promise<void> {
  await registerNetworks(client);
  await eventually(() => client.list(NETWORK_ATTACHMENT_DEFINITIONS));
}

/** Takes net-attach-defs away with all there are: another file may have installed them on the server. */
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
