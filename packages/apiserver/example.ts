import { startApiServer } from '@groundcrew/apiserver';
import { CONFIG_MAPS, KubeClient, type Logger } from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';

/** Starts an API server, writes a ConfigMap, and returns the data of the stored ConfigMap. */
export async function storeConfigMap(logger: Logger): Promise<unknown> {
  await using parts = new AsyncDisposableStack();
  const server = parts.adopt(await startApiServer({ logger }), (api) => api.close());
  const client = new KubeClient({ transport: httpsTransport(server), fieldManager: 'example' });
  parts.defer(() => client.close());
  const ref = { namespace: 'default', name: 'greeting' };
  await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { hello: 'world' } });
  return (await client.get(CONFIG_MAPS, ref)).data;
}

if (import.meta.main) {
  const none = (): void => undefined;
  const quiet: Logger = { debug: none, info: none, warn: none, error: none, child: () => quiet };
  process.stdout.write(`${JSON.stringify(await storeConfigMap(quiet))}\n`);
}
