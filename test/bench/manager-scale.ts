import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES, type VirtualMachineBMC } from '../../api/index.ts';
import { CachedWatch, NAMESPACES, SECRETS, systemClock } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { adminKubeconfig } from '../harness/kubeconfig.ts';
import { ControlPlane } from '../harness/kubernetes/control-plane.ts';
import { installCustomResources } from '../harness/custom-resources.ts';
import type { TestServer } from '../harness/server.ts';
import { startStandIns } from '../harness/stand-ins.ts';
import { findTool, howToInstall } from '../tools/index.ts';
import { OURS, type Measurement, type Progress, type Section } from './measurement.ts';
import { imageNodeOptions } from '../harness/container-image.ts';
import { buildCommand } from './image.ts';
import { ImageManager } from './image-manager.ts';

const COUNTS = [1, 100, 1000];
const IN_FLIGHT = 16;
/** Milliseconds without a request after which the manager is quiet. */
const QUIET = 5_000;
const PATIENCE = 300_000;

interface Stage {
  server: TestServer;
  /** For files of the run. */
  folder: string;
  /** Path of an administrator's kubeconfig. */
  kubeconfig: string;
  progress: Progress;
}

/**
 * Measures the manager on a real kube-apiserver, from `kubectl apply` of BMCs until all are reconciled: time, requests
 * and memory, in total and for each BMC.
 */
export async function measureManager(progress: Progress): Promise<Section> {
  progress('etcd and kube-apiserver start');
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bench-'));
  const plane = await ControlPlane.start();
  try {
    const server = plane.asTestServer();
    await installCustomResources(server.client);
    const kubeVirt = await startStandIns(server, join(folder, 'stand-ins'), { parts: ['kubevirt'] });
    const kubeconfig = join(folder, 'kubeconfig');
    const { ca, admin } = plane.certificates;
    writeFileSync(kubeconfig, adminKubeconfig({ server: plane.server, ca, ...admin }), { mode: 0o600 });
    const command = [...imageNodeOptions(), buildCommand()];
    const measurements: Measurement[] = [];
    for (const count of COUNTS)
      measurements.push(...(await measureCount({ server, folder, kubeconfig, progress }, command, count)));
    await kubeVirt.close();
    return { title: 'Manager', introduction: INTRODUCTION, inputs: [], measurements };
  } finally {
    await plane.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const INTRODUCTION = [
  '- On kube-apiserver 1.34.4 and etcd, which share the two cores with the manager.',
  '- VirtualMachineBMCs, each with its own Secret: the manager as in the image, with the permissions of the chart. No',
  '  controller runs Deployments, so agents do not start. Requests are all requests that the manager sends until it is idle,',
  '  by its own metrics.',
];

async function measureCount(stage: Stage, command: readonly string[], count: number): Promise<Measurement[]> {
  const { server, folder } = stage;
  const label = count === 1 ? '1 VirtualMachineBMC' : `${count.toLocaleString('en')} VirtualMachineBMCs`;
  stage.progress(`${label}: creates the virtual machines`);
  const namespace = `bench-${count}`;
  const home = `manager-${count}`;
  for (const name of [namespace, home])
    await server.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const manifest = await prepare(stage, namespace, count);
  // Only its own namespace, so that the objects of earlier counts have no effect.
  const manager = await ImageManager.start(server, command, { namespace: home, watchNamespace: namespace, folder });
  const stop = new AbortController();
  try {
    const { reconciled } = await watchReconciled(stage, namespace, count, stop.signal);
    await quiet(manager);
    const before = await manager.figures();
    stage.progress(`${label}: kubectl apply`);
    const started = performance.now();
    await kubectl('apply', `--kubeconfig=${stage.kubeconfig}`, '-f', manifest);
    const applied = performance.now() - started;
    await reconciled;
    const elapsed = performance.now() - started;
    await quiet(manager);
    const after = await manager.figures();
    const requests = after.requests - before.requests;
    const processor = after.processorTime - before.processorTime;
    const figure = (what: string, unit: Measurement['unit'], value: number): Measurement => ({
      what: `${label}: ${what}`,
      server: OURS,
      unit,
      values: [value],
    });
    return [
      figure('`kubectl apply` takes', 'ms', applied),
      figure('from its start until all are reconciled', 'ms', elapsed),
      figure('requests for each', 'requests', requests / count),
      figure("manager's processor time for each", 'ms', processor / count),
      figure("manager's memory before", 'MB', before.resident),
      figure("manager's memory then", 'MB', after.resident),
    ];
  } finally {
    stop.abort();
    await manager.close();
  }
}

/** Creates virtual machines, each with its own Secret, and returns the path of a manifest with their BMCs. */
async function prepare({ server: { client }, folder }: Stage, namespace: string, count: number): Promise<string> {
  const names = Array.from({ length: count }, (_, index) => `vm-${index}`);
  const remaining = names.values();
  const create = async (): Promise<void> => {
    for (const name of remaining) {
      await client.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name },
        stringData: { username: 'admin', password: 'secret' },
      });
      await client.create(VIRTUAL_MACHINES, {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachine',
        metadata: { namespace, name },
        spec: { runStrategy: 'Manual', template: { spec: { domain: { devices: {} } } } },
      });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, create));
  const items = names.map((name) => ({
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: { namespace, name },
    spec: { virtualMachineRef: { name }, authSecretRef: { name } },
  }));
  const path = join(folder, `${namespace}.json`);
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return path;
}

/** Watches the BMCs; `reconciled` resolves when `count` BMCs are reconciled. */
async function watchReconciled(
  { server: { client } }: Stage,
  namespace: string,
  count: number,
  signal: AbortSignal,
): Promise<{ reconciled: Promise<void> }> {
  const bmcs = new CachedWatch({
    client,
    kind: VIRTUAL_MACHINE_BMCS,
    namespace,
    clock: systemClock,
    logger: silentLogger,
  });
  void bmcs.run(signal);
  await bmcs.synced(signal);
  const done = new Set<string>();
  const reconciled = new Promise<void>((resolve, reject) => {
    AbortSignal.timeout(PATIENCE).addEventListener('abort', () => {
      reject(new Error(`${done.size} of ${count} VirtualMachineBMCs are reconciled after ${PATIENCE} ms`));
    });
    bmcs.subscribe(({ object }) => {
      if (isReconciled(object)) done.add(object.metadata.name);
      if (done.size === count) resolve();
    });
  });
  return { reconciled };
}

/** Whether the children exist and the status belongs to the spec. No agent runs, so the BMC is never Ready. */
function isReconciled({ metadata, status }: VirtualMachineBMC): boolean {
  const isTrue = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
  return (
    status?.observedGeneration === metadata.generation &&
    ['VirtualMachineAvailable', 'SecretAvailable', 'ServiceReady'].every(isTrue)
  );
}

async function quiet(manager: ImageManager): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  for (let last = -1; ;) {
    const { requests } = await manager.figures();
    if (requests === last) return;
    if (performance.now() > deadline) throw new Error(`the manager still sends requests after ${PATIENCE} ms`);
    last = requests;
    await pause(QUIET);
  }
}

async function kubectl(...args: string[]): Promise<void> {
  const command = findTool('kubectl');
  if (command === undefined) throw new Error(`kubectl is missing; ${howToInstall('kubectl')}`);
  await promisify(execFile)(command, args, { maxBuffer: 16 * 1024 * 1024 });
}
