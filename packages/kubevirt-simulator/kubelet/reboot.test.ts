import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS, KubeClient, PODS, systemClock, type Pod } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { startApiServer, type RunningApiServer } from '@groundcrew/apiserver';
import { startKubelet, type Kubelet } from './start-kubelet.ts';

/** Says its process' number and runs until its standard input ends. */
const PROGRAM = `
  console.log('run', process.pid);
  process.stdin.resume().on('end', () => process.exit());`;

let directory: string;
let server: RunningApiServer;
let client: KubeClient;
let kubelet: Kubelet;

async function boot(): Promise<void> {
  kubelet = await startKubelet({
    client,
    clock: systemClock,
    random: randomBytes,
    logger: silentLogger,
    images: { web: { command: [process.execPath, '-e', PROGRAM] }, ends: { command: ['true'] } },
    apiServer: { host: '127.0.0.1', port: Number(new URL(server.server).port), ca: server.ca },
    directory,
    closeGrace: 0,
  });
}

const ref = (name: string) => ({ namespace: 'default', name });

async function create(name: string, image: string, restartPolicy: string): Promise<void> {
  const spec = { nodeName: 'sandbox', restartPolicy, containers: [{ name: 'c', image }] };
  await client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: ref(name), spec });
}

async function until(name: string, condition: (pod: Pod) => boolean): Promise<Pod> {
  let pod = await client.get(PODS, ref(name));
  for (let polls = 0; polls < 200 && !condition(pod); polls += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    pod = await client.get(PODS, ref(name));
  }
  expect(condition(pod), JSON.stringify(pod.status)).toBe(true);
  return pod;
}

const statusOf = (pod: Pod) => pod.status?.containerStatuses?.[0] ?? expect.fail('it has no status');
const isRunning = (pod: Pod): boolean => statusOf(pod).state?.running !== undefined;
const log = async (name: string, query = ''): Promise<unknown> =>
  await client.request({ method: 'GET', path: `/api/v1/namespaces/default/pods/${name}/log${query}` });

/** What the present run has said; it takes a moment to say it. */
async function logOf(name: string): Promise<unknown> {
  for (let polls = 0; polls < 200; polls += 1) {
    const text = await log(name);
    if (typeof text === 'string' && /^run \d+\n$/.test(text)) return text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return undefined;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'groundcrew-reboot-'));
  server = await startApiServer({ logger: silentLogger });
  const { server: url, ca, token } = server;
  client = new KubeClient({ transport: httpsTransport({ server: url, ca, token }), fieldManager: 'test' });
  await boot();
  await create('always', 'web', 'Always');
  await create('never', 'web', 'Never');
  await create('done', 'ends', 'OnFailure');
  await until('done', ({ status }) => status?.phase === 'Succeeded');
}, 60_000);
afterAll(async () => {
  await kubelet.close();
  await client.close();
  await server.close();
  await rm(directory, { recursive: true });
});

describe('a node that comes back', () => {
  let before: Pod;
  let said: unknown;

  beforeAll(async () => {
    before = await until('always', isRunning);
    await until('never', isRunning);
    said = await logOf('always');
    await kubelet.close();
    // Nobody has told the API server that they ended.
    expect(isRunning(await client.get(PODS, ref('always')))).toBe(true);
    await boot();
  }, 60_000);

  it('says at once that what ran runs no more, and runs it again', async () => {
    const pod = await until('always', isRunning);
    expect(pod.metadata.uid).toBe(before.metadata.uid);
    expect(statusOf(pod)).toMatchObject({
      restartCount: 1,
      lastState: {
        terminated: {
          exitCode: 255,
          reason: 'Unknown',
          startedAt: statusOf(before).state?.running?.startedAt,
          containerID: statusOf(before).containerID,
        },
      },
    });
    expect(statusOf(pod).containerID).not.toBe(statusOf(before).containerID);
    expect(pod.status?.startTime).toBe(before.status?.startTime);
    const reasons = (await client.list(EVENTS, { namespace: 'default' })).items
      .filter(({ involvedObject }) => involvedObject.name === 'always')
      .map(({ reason }) => reason);
    expect(reasons).toContain('SandboxChanged');
  });

  it('has the log of the run before', async () => {
    expect(await logOf('always')).not.toBe(said);
    expect(await log('always', '?previous=true')).toBe(said);
  });

  it('does not run again what its policy forbids', async () => {
    const { status } = await until('never', (pod) => pod.status?.phase === 'Failed');
    expect(status?.containerStatuses).toMatchObject([
      { restartCount: 0, ready: false, state: { terminated: { exitCode: 255, reason: 'Unknown' } } },
    ]);
    expect((await client.get(PODS, ref('done'))).status?.phase).toBe('Succeeded');
  });

  it('keeps no files of pods that have gone meanwhile', async () => {
    const { metadata } = await until('always', isRunning);
    await kubelet.close();
    await client.delete(PODS, ref('always'), { gracePeriodSeconds: 0 });
    await boot();
    expect(await readdir(join(directory, 'pods'))).not.toContain(metadata.uid);
  }, 60_000);
});
