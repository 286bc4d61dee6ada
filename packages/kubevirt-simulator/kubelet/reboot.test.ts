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

/** Prints its process ID and runs until its standard input closes. */
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
    images: { web: { command: [process.execPath, '-e', PROGRAM] } },
    apiServer: { host: '127.0.0.1', port: Number(new URL(server.server).port), ca: server.ca },
    directory,
    closeGrace: 0,
  });
}

const ref = { namespace: 'default', name: 'web' };

async function until(condition: (pod: Pod) => boolean): Promise<Pod> {
  let pod = await client.get(PODS, ref);
  for (let polls = 0; polls < 200 && !condition(pod); polls += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    pod = await client.get(PODS, ref);
  }
  expect(condition(pod), JSON.stringify(pod.status)).toBe(true);
  return pod;
}

const statusOf = (pod: Pod) => pod.status?.containerStatuses?.[0] ?? expect.fail('the pod has no container status');
const isRunning = ({ status }: Pod): boolean => status?.containerStatuses?.[0]?.state?.running !== undefined;
const log = async (query = ''): Promise<unknown> =>
  await client.request({ method: 'GET', path: `/api/v1/namespaces/default/pods/web/log${query}` });

/** The log of the current run, which takes a moment. */
async function logOf(): Promise<unknown> {
  for (let polls = 0; polls < 200; polls += 1) {
    const text = await log();
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
  const spec = { nodeName: 'sandbox', containers: [{ name: 'c', image: 'web' }] };
  await client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: ref, spec });
}, 60_000);
afterAll(async () => {
  await kubelet.close();
  await client.close();
  await server.close();
  await rm(directory, { recursive: true });
});

describe('a node that restarts', () => {
  let before: Pod;
  let said: unknown;

  beforeAll(async () => {
    before = await until(isRunning);
    said = await logOf();
    await kubelet.close();
    // The status is not updated at the end.
    expect(isRunning(await client.get(PODS, ref))).toBe(true);
    await boot();
  }, 60_000);

  it('reports the end of the containers and starts them again', async () => {
    const pod = await until(isRunning);
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
      .filter(({ involvedObject }) => involvedObject.name === ref.name)
      .map(({ reason }) => reason);
    expect(reasons).toContain('SandboxChanged');
  });

  it('has the log of the previous run', async () => {
    expect(await logOf()).not.toBe(said);
    expect(await log('?previous=true')).toBe(said);
  });

  it('removes the files of pods that no longer exist', async () => {
    const { metadata } = await until(isRunning);
    await kubelet.close();
    await client.delete(PODS, ref, { gracePeriodSeconds: 0 });
    await boot();
    expect(await readdir(join(directory, 'pods'))).not.toContain(metadata.uid);
  }, 60_000);
});
