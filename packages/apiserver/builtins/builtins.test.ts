import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../json.ts';
import { MERGE, startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
let call: TestServer['call'];
beforeAll(async () => {
  server = await startTestServer();
  ({ call } = server);
});
afterAll(() => server.close());

// contract/writes/builtins.suite.ts compares defaults and immutable fields with kube-apiserver.
const NAMESPACE = '/api/v1/namespaces/default';
const message = (answer: { body: unknown }) => at(answer.body, 'message');

describe('a node port', () => {
  const services = `${NAMESPACE}/services`;
  const create = (name: string, protocol: string) =>
    call('POST', services, {
      metadata: { name },
      spec: { type: 'NodePort', ports: [{ port: 1, nodePort: 30777, protocol }] },
    });

  it('can be allocated once per protocol', async () => {
    expect((await create('tcp', 'TCP')).status).toBe(201);
    expect((await create('udp', 'UDP')).status).toBe(201);
    expect(message(await create('again', 'UDP'))).toBe(
      'Service "again" is invalid: spec.ports[0].nodePort: Invalid value: 30777: provided port is already allocated',
    );
  });

  it('is released by the deletion of its Service or a change of its type', async () => {
    await call('DELETE', `${services}/tcp`);
    expect((await create('tcp2', 'TCP')).status).toBe(201);
    await call('PATCH', `${services}/tcp2`, { spec: { type: 'ClusterIP' } }, MERGE);
    expect((await create('tcp3', 'TCP')).status).toBe(201);
  });
});

describe('a Pod', () => {
  const pods = `${NAMESPACE}/pods`;
  const pod = (name: string, spec = {}) => ({
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });

  it('is refused if its service account does not exist', async () => {
    expect(message(await call('POST', pods, pod('q', { serviceAccountName: 'nobody' })))).toBe(
      'pods "q" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
    );
  });

  it('without a node is deleted immediately', async () => {
    await call('POST', pods, pod('p'));
    await call('DELETE', `${pods}/p`);
    expect((await call('GET', `${pods}/p`)).status).toBe(404);
  });
});
