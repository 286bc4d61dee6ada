import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at } from '../json.ts';
import { MERGE, startTestServer, STRATEGIC, type TestServer } from '../testing/index.ts';

let server: TestServer;
let call: TestServer['call'];
beforeAll(async () => {
  server = await startTestServer();
  ({ call } = server);
});
afterAll(() => server.close());

const NAMESPACE = '/api/v1/namespaces/default';
const message = (answer: { body: unknown }) => at(answer.body, 'message');

describe('a Service', () => {
  const services = `${NAMESPACE}/services`;
  const service = (name: string, spec: object) => ({ metadata: { name }, spec: spec as never });

  it('gets a cluster IP and node ports, and keeps them', async () => {
    const { body } = await call(
      'POST',
      services,
      service('s', { type: 'NodePort', ports: [{ port: 623, protocol: 'UDP' }] }),
    );
    expect(body).toMatchObject({
      spec: {
        clusterIP: expect.stringMatching(/^127\.96\./) as string,
        ports: [{ targetPort: 623, nodePort: expect.any(Number) as number }],
        ipFamilies: ['IPv4'],
      },
    });
    const put = await call(
      'PUT',
      `${services}/s`,
      service('s', { type: 'NodePort', ports: [{ port: 623, protocol: 'UDP' }], selector: { a: 'b' } }),
    );
    expect(at(put.body, 'spec', 'clusterIP')).toBe(at(body, 'spec', 'clusterIP'));
    expect(at(put.body, 'spec', 'ports')).toEqual(at(body, 'spec', 'ports'));
  });

  it('may have one number for a TCP and a UDP port, not for two of a sort', async () => {
    const ports = (protocol: string) => [{ port: 1, nodePort: 30777, protocol }];
    expect((await call('POST', services, service('tcp', { type: 'NodePort', ports: ports('TCP') }))).status).toBe(201);
    expect((await call('POST', services, service('udp', { type: 'NodePort', ports: ports('UDP') }))).status).toBe(201);
    expect(message(await call('POST', services, service('again', { type: 'NodePort', ports: ports('UDP') })))).toBe(
      'Service "again" is invalid: spec.ports[0].nodePort: Invalid value: 30777: provided port is already allocated',
    );
  });

  it('gives its numbers back', async () => {
    await call('DELETE', `${services}/tcp`);
    expect(
      (await call('POST', services, service('tcp2', { type: 'NodePort', ports: [{ port: 1, nodePort: 30777 }] })))
        .status,
    ).toBe(201);
    const { body } = await call('PATCH', `${services}/tcp2`, { spec: { type: 'ClusterIP' } }, MERGE);
    expect(at(body, 'spec', 'ports')).toEqual([{ port: 1, protocol: 'TCP', targetPort: 1 }]);
  });

  it('may be headless or a mere name', async () => {
    expect(
      (await call('POST', services, service('headless', { clusterIP: 'None', ports: [{ port: 1 }] }))).body,
    ).toMatchObject({ spec: { clusterIP: 'None' } });
    const { body } = await call(
      'POST',
      services,
      service('external', { type: 'ExternalName', externalName: '127.0.0.1' }),
    );
    expect(at(body, 'spec', 'clusterIP')).toBeUndefined();
  });
});

describe('a Pod', () => {
  const pods = `${NAMESPACE}/pods`;
  const pod = (name: string, spec = {}) => ({
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });

  it('is defaulted and admitted', async () => {
    expect((await call('POST', pods, pod('p'))).body).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        restartPolicy: 'Always',
        serviceAccountName: 'default',
        terminationGracePeriodSeconds: 30,
        containers: [{ imagePullPolicy: 'Always' }],
        tolerations: [{}, {}],
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
    expect(message(await call('POST', pods, pod('q', { serviceAccountName: 'nobody' })))).toBe(
      'pods "q" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
    );
  });

  it('cannot change much', async () => {
    expect(
      (await call('PATCH', `${pods}/p`, { spec: { containers: [{ name: 'c', image: 'j' }] } }, STRATEGIC)).status,
    ).toBe(200);
    expect(message(await call('PATCH', `${pods}/p`, { spec: { restartPolicy: 'Never' } }, MERGE))).toContain(
      'pod updates may not change fields other than',
    );
  });

  it('merges its conditions by type', async () => {
    const set = (conditions: object[]) =>
      call('PATCH', `${pods}/p/status`, { status: { conditions: conditions as never } }, STRATEGIC);
    await set([{ type: 'Ready', status: 'False' }]);
    expect(
      (
        await set([
          { type: 'Initialized', status: 'True' },
          { type: 'Ready', status: 'True' },
        ])
      ).body,
    ).toMatchObject({
      status: {
        conditions: [
          { type: 'Initialized', status: 'True' },
          { type: 'Ready', status: 'True' },
        ],
      },
    });
  });

  it('on a node ends when its kubelet says so', async () => {
    await call('POST', pods, pod('placed', { nodeName: 'n' }));
    expect((await call('DELETE', `${pods}/placed`)).body).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) as string, deletionGracePeriodSeconds: 30 },
    });
    expect((await call('GET', `${pods}/placed`)).status).toBe(200);
    expect((await call('DELETE', `${pods}/placed`, { gracePeriodSeconds: 0 })).status).toBe(200);
    expect((await call('GET', `${pods}/placed`)).status).toBe(404);
  });

  it('without a node ends at once', async () => {
    await call('DELETE', `${pods}/p`);
    expect((await call('GET', `${pods}/p`)).status).toBe(404);
  });
});

describe('a Deployment', () => {
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const spec = (labels: Record<string, string>) => ({
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  });

  it('is defaulted, and its generation counts changes of its spec', async () => {
    const { body } = await call('POST', deployments, { metadata: { name: 'd' }, spec: spec({ a: 'b' }) });
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: { replicas: 1, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } } },
      status: {},
    });
    expect((await call('PATCH', `${deployments}/d`, { metadata: { labels: { x: 'y' } } }, MERGE)).body).toMatchObject({
      metadata: { generation: 1 },
    });
    expect((await call('PATCH', `${deployments}/d`, { spec: { replicas: 2 } }, MERGE)).body).toMatchObject({
      metadata: { generation: 2 },
    });
    expect(
      (await call('PATCH', `${deployments}/d/status`, { status: { replicas: 1, observedGeneration: 2 } }, MERGE)).body,
    ).toMatchObject({ metadata: { generation: 2 }, status: { replicas: 1 } });
  });
});
