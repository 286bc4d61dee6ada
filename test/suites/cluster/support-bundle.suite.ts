import { expect, it } from 'vitest';
import { collect } from '../../../cli/support-bundle/collect.ts';
import { stateSecretName, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { SECRETS, SERVICE_ACCOUNTS, type Transport } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { serviceAccountToken } from '../../harness/service-accounts.ts';
import { Scene } from '../manager/scene.ts';

const c = await cluster();

const transport: Transport = {
  request: async ({ method, path }) => {
    const { status, headers, body } = await c.http(method, path);
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
    return { status, headers, body: ReadableStream.from<Uint8Array>([Buffer.from(text)]) };
  },
  close: () => Promise.resolve(),
};

it('a support bundle has no password, token or key of the cluster', async () => {
  await c.standIns({ parts: ['kubevirt', 'deployments'] });
  const manager = await c.manager();
  const scene = await Scene.in(c);
  const { namespace } = scene;
  const [password, added, script] = ['correct-horse-9', 'battery staple 7', 'in-a-script-8'];
  const account = { namespace, name: 'leaky' };
  await c.client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  const token = await serviceAccountToken(c.client, account);
  await scene.createSecret('creds', { username: 'admin', password });
  const accounts = JSON.stringify([{ id: 3, name: 'joan', password: Buffer.from(added).toString('base64') }]);
  await scene.createSecret(stateSecretName('web-bmc'), { accounts });
  await scene.createVirtualMachine();
  const volume = { name: 'init', cloudInitNoCloud: { userData: `password: ${script}` } };
  const add = [{ op: 'add', path: '/spec/template/spec/volumes/-', value: volume }];
  await c.client.patch(VIRTUAL_MACHINES, scene.ref('web'), 'json', add);
  await scene.createVirtualMachine('refused');
  const wish = { metadata: { annotations: { 'bmc.kubevirt.io/enabled': 'maybe' } } };
  await c.client.patch(VIRTUAL_MACHINES, scene.ref('refused'), 'merge', wish);
  const bmc = await scene.createBmc();
  const annotations = { password, added, token, url: `https://admin:${password}@images.example/` };
  await c.client.patch(VIRTUAL_MACHINE_BMCS, bmc.metadata, 'merge', { metadata: { annotations } });
  await eventually(async () => {
    expect((await scene.bmc()).status?.agent?.name).toBeDefined();
  });

  const signal = AbortSignal.timeout(60_000);
  const files = new Map<string, string>();
  const options = { client: c.client, transport, namespace, signal, secretTexts: [], versions: {} };
  for await (const { path, text } of collect(options)) files.set(path, text);

  const paths = [...files.keys()];
  const wanted = ['versions.json', 'status.txt', 'secrets.json', 'objects/virtualmachinebmcs.json'];
  expect(paths).toEqual(expect.arrayContaining([...wanted, `events/${namespace}.json`]));
  // The pods are simulated, so nobody answers: the error is there instead.
  expect(paths.filter((path) => path.startsWith(`metrics/${namespace}/`) && path.endsWith('.error.txt'))).toHaveLength(
    1,
  );
  expect(files.get('objects/virtualmachinebmcs.json')).toContain('web-bmc');
  expect(files.get('objects/virtualmachines.json')).toContain('cloudInitNoCloud');
  expect(files.get('objects/virtualmachines.json')).toContain('"maybe"');
  expect(files.get('secrets.json')).toContain('"creds"');

  const secrets = await Promise.all(
    [namespace, manager.namespace].map(async (place) => (await c.client.list(SECRETS, { namespace: place })).items),
  );
  const values = secrets
    .flat()
    .flatMap(({ data = {} }) =>
      Object.entries(data).filter(([key]) => !['username', 'tls.crt', 'ca.crt'].includes(key)),
    )
    .flatMap(([, value]) => [value, ...Buffer.from(value, 'base64').toString('utf8').split('\n')])
    .filter((value) => value.length >= 8 && !value.startsWith('-----'));
  expect(values).toContain(password);
  expect(values.length).toBeGreaterThan(5);
  const all = [...files.values()].join('\n');
  const found = [...values, added, script, token].filter((value) => all.includes(value));
  expect(found).toEqual([]);
});
