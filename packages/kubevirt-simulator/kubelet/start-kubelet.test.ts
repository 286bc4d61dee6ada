import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEPLOYMENTS,
  EVENTS,
  KubeClient,
  PODS,
  SERVICE_ACCOUNTS,
  SERVICES,
  systemClock,
  type Pod,
} from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { startApiServer, type RunningApiServer } from '@groundcrew/apiserver';
import { startDeployments } from '../deployments/index.ts';
import { startServices } from '../services/index.ts';
import { startKubelet } from './start-kubelet.ts';

/** Serves its name and first argument on its pod's address. It answers pending requests before it ends. */
const PROGRAM = `
  const { readdirSync } = require('node:fs');
  console.log('credentials', readdirSync(process.env.GROUNDCREW_SERVICEACCOUNT_DIR).sort().join());
  const server = require('node:http').createServer((request, response) => {
    if (request.url === '/crash') process.exit(7);
    response.end(process.argv[1] + ' ' + process.env.POD_NAME);
  }).listen(10080, process.env.POD_IPS);
  process.stdin.resume().on('end', () => process.exit());
  process.on('SIGTERM', () => server.close(() => process.exit()));`;

let directory: string;
let server: RunningApiServer;
let client: KubeClient;
let parts: { close(): Promise<void> }[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'groundcrew-kubelet-'));
  server = await startApiServer({ logger: silentLogger });
  client = clientOf('test');
  const shared = { clock: systemClock, random: randomBytes, logger: silentLogger };
  const apiServer = { host: '127.0.0.1', port: Number(new URL(server.server).port), ca: server.ca };
  const images = { web: { command: [process.execPath, '-e', PROGRAM] } };
  parts = await Promise.all([
    startKubelet({ ...shared, client: clientOf('kubelet'), images, apiServer, directory }),
    startDeployments({ ...shared, client: clientOf('deployment-controller') }),
    startServices({ ...shared, client: clientOf('kube-proxy') }),
  ]);
  await client.create(SERVICE_ACCOUNTS, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'web', namespace: 'default' },
  });
});
afterAll(async () => {
  await Promise.all(parts.map((part) => part.close()));
  await client.close();
  await server.close();
  await rm(directory, { recursive: true });
});

function clientOf(fieldManager: string): KubeClient {
  const { server: url, ca, token } = server;
  return new KubeClient({ transport: httpsTransport({ server: url, ca, token }), fieldManager });
}

async function deploy(greeting: string, replicas = 1): Promise<void> {
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  await client.apply(
    DEPLOYMENTS,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            serviceAccountName: 'web',
            containers: [
              {
                name: 'web',
                image: 'web',
                args: [greeting],
                env: [field('POD_NAME', 'metadata.name'), field('POD_IPS', 'status.podIPs')],
                ports: [{ name: 'http', containerPort: 10080 }],
                readinessProbe: { httpGet: { path: '/', port: 'http' } },
              },
            ],
          },
        },
      },
    },
    { force: true },
  );
}

async function eventually<T>(attempt: () => Promise<T | undefined | false>): Promise<T> {
  let last: unknown;
  for (let tries = 0; tries < 150; tries += 1) {
    try {
      const result = await attempt();
      if (result !== undefined && result !== false) return result;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the condition was not met', { cause: last });
}

const pods = async (): Promise<Pod[]> => (await client.list(PODS, { namespace: 'default' })).items;
const logOf = (pod: string, query = ''): Promise<unknown> =>
  client.request({ method: 'GET', path: `/api/v1/namespaces/default/pods/${pod}/log${query}` });

describe('a Deployment behind a Service', () => {
  let url: string;

  beforeAll(async () => {
    await deploy('first');
    const service = await client.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
    });
    url = `http://127.0.0.1:${service.spec?.ports?.[0]?.nodePort ?? 0}`;
    await eventually(() => fetch(url));
  });

  const ask = async (): Promise<string> => await (await fetch(url, { headers: { connection: 'close' } })).text();

  it('serves at the node port and is Available', async () => {
    const [pod] = await pods();
    expect(await ask()).toBe(`first ${pod?.metadata.name ?? ''}`);
    expect(pod?.status).toMatchObject({ phase: 'Running', podIP: expect.stringMatching(/^127\.64\./) as string });
    const status = await eventually(async () => {
      const { status: present } = await client.get(DEPLOYMENTS, { namespace: 'default', name: 'web' });
      return present?.availableReplicas === 1 && present;
    });
    expect(status.conditions).toMatchObject([{ type: 'Available', status: 'True' }, { type: 'Progressing' }]);
  });

  it('has credentials, a log and events', async () => {
    const [pod] = await pods();
    const name = pod?.metadata.name ?? '';
    expect(await eventually(() => logOf(name) as Promise<string>)).toBe('credentials ca.crt,namespace,token\n');
    const reasons = await eventually(async () => {
      const { items } = await client.list(EVENTS, { namespace: 'default' });
      const found = items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason);
      return found.includes('Started') && found;
    });
    expect(reasons).toEqual(expect.arrayContaining(['Pulled', 'Created', 'Started']));
  });

  it('restarts at once when its program crashes', async () => {
    await fetch(`${url}/crash`).catch(() => undefined);
    const container = await eventually(async () => {
      const [pod] = await pods();
      const status = pod?.status?.containerStatuses?.[0];
      return status?.restartCount === 1 && status.ready && status;
    });
    expect(container.lastState).toMatchObject({ terminated: { exitCode: 7, reason: 'Error' } });
    expect(await eventually(ask)).toMatch(/^first /);
  });

  it('is rolled out without an interruption', async () => {
    let failures = 0;
    await deploy('second');
    await eventually(async () => {
      const answer = await ask().catch(() => 'no answer');
      if (answer === 'no answer') failures += 1;
      return answer.startsWith('second ');
    });
    await eventually(async () => (await pods()).length === 1);
    expect(failures).toBe(0);
  });

  it('is scaled up, and its pods are deleted with it', async () => {
    await deploy('second', 2);
    await eventually(async () => (await pods()).filter(({ status }) => status?.phase === 'Running').length === 2);
    await client.delete(DEPLOYMENTS, { namespace: 'default', name: 'web' });
    await eventually(async () => (await pods()).length === 0);
    await expect(ask()).rejects.toThrow();
  });
});

describe('a pod with an unknown image', () => {
  it('waits with a reason, and can be deleted', async () => {
    const ref = { namespace: 'default', name: 'none' };
    await client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: ref,
      spec: { nodeName: 'sandbox', containers: [{ name: 'c', image: 'none' }] },
    });
    await eventually(async () => {
      const { status } = await client.get(PODS, ref);
      return status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ErrImagePull';
    });
    await expect(logOf('none')).rejects.toThrow('container "c" in pod "none" is waiting to start');
    await client.delete(PODS, ref);
    await eventually(async () => (await client.find(PODS, ref)) === undefined);
  });
});
