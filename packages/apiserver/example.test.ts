import { expect, it } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { storeConfigMap } from './example.ts';
import { CONFIG_MAPS, KubeClient } from '@groundcrew/controller-runtime';
import { labelConfigMaps } from '@groundcrew/controller-runtime/example';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { startApiServer } from './index.ts';

it('the README example reads the ConfigMap back', async () => {
  expect(await storeConfigMap(silentLogger)).toEqual({ hello: 'world' });
});

it('the controller-runtime example labels a ConfigMap, and updates the label after a change', async () => {
  await using parts = new AsyncDisposableStack();
  const server = parts.adopt(await startApiServer({ logger: silentLogger }), (api) => api.close());
  const client = new KubeClient({ transport: httpsTransport(server), fieldManager: 'example' });
  parts.defer(() => client.close());
  const stop = new AbortController();
  const running = labelConfigMaps(client, silentLogger, stop.signal);
  parts.defer(async () => {
    stop.abort();
    await running;
  });
  const ref = { namespace: 'default', name: 'greeting' };
  const size = async () => (await client.get(CONFIG_MAPS, ref)).metadata.labels?.['size'];
  await client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { hello: 'world' } });
  await expect.poll(size).toBe('1');
  await client.patch(CONFIG_MAPS, ref, 'merge', { data: { more: 'text' } });
  await expect.poll(size).toBe('2');
});
