import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_NETWORK_CONFIGS } from '../../../api/index.ts';
import { NAMESPACES } from '@groundcrew/controller-runtime';
import { imageNodeOptions } from '../../harness/container-image.ts';
import { installCustomResources } from '../../harness/custom-resources.ts';
import { embeddedServer } from '../../harness/embedded/server.ts';
import { ControlPlane } from '../../harness/kubernetes/control-plane.ts';
import { installMultus } from '../../harness/multus.ts';
import { applyManagerRbac } from '../../harness/rbac.ts';
import { clientOf, type TestServer } from '../../harness/server.ts';
import { serviceAccountToken } from '../../harness/service-accounts.ts';
import { startStandIns } from '../../harness/stand-ins.ts';
import { buildCommand } from '../image.ts';
import { OURS, type Measurement, type Options, type Progress, type Section } from '../measurement.ts';
import { bareWriteRates } from './bare-rate.ts';
import { createFleet, createPools, isReconciled, nameOf, NETWORKS, untilDone, WRITERS } from './fleet.ts';
import { ImageManager, type ManagerFigures } from './image-manager.ts';

const SIZES = '1,100,1000,10000';
const SERVERS = 'kubernetes';
/** Milliseconds without a request after which the manager is idle. */
const QUIET = 5_000;
/** Seconds in which an idle manager must send nothing. */
const STEADY = '60';
export const PATIENCE = 1_800_000;
/** BMCs whose objects are created to measure the API server's own rate. */
const COPIES = 300;
const WRITES = 'writes';

const STARTS: Readonly<Record<string, () => Promise<{ server: TestServer; close: () => Promise<void> }>>> = {
  kubernetes: async () => {
    const plane = await ControlPlane.start();
    const server = plane.asTestServer();
    await installCustomResources(server.client);
    return { server, close: () => plane.close() };
  },
  embedded: async () => {
    const server = await embeddedServer();
    return { server, close: () => server.close() };
  },
};

interface Stage {
  server: TestServer;
  /** For files of the run. */
  folder: string;
  /** The manager's command line. */
  command: readonly string[];
  progress: Progress;
  /** ms */
  steady: number;
}

/**
 * Measures what a fleet costs the manager and the API server. Options: `--sizes=100,1000`, numbers of BMCs;
 * `--servers=embedded,kubernetes`; `--steady=60`, seconds without a change; `--profile=<folder>` for CPU profiles of the manager.
 */
export async function measureManager(progress: Progress, options: Options): Promise<Section> {
  const { profile } = options;
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const command = [...imageNodeOptions(), ...profiling, buildCommand()];
  const measurements: Measurement[] = [];
  for (const name of (options['servers'] ?? SERVERS).split(',')) {
    const start = STARTS[name];
    if (start === undefined) throw new TypeError(`no server ${name}; there are: ${Object.keys(STARTS).join(', ')}`);
    for (const size of (options['sizes'] ?? SIZES).split(',').map(Number)) {
      progress(`${name}: starts`);
      const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bench-'));
      const { server, close } = await start();
      try {
        // Only its kinds: nothing runs virtual machines.
        await (await startStandIns(server, join(folder, 'stand-ins'), { parts: ['kubevirt'] })).close();
        await installMultus(server.client);
        const stage = {
          server,
          folder,
          command,
          steady: Number(options['steady'] ?? STEADY) * 1000,
          progress: (line: string) => {
            progress(`${name}, ${size}: ${line}`);
          },
        };
        for (const figure of await measureSize(stage, size))
          measurements.push({
            server: OURS,
            ...figure,
            what: `${name}, ${size.toLocaleString('en')} BMCs: ${figure.what}`,
          });
      } finally {
        await close();
        rmSync(folder, { recursive: true, force: true });
      }
    }
  }
  return { title: 'Manager', introduction: INTRODUCTION, inputs: [], measurements };
}

const INTRODUCTION = [
  '- On kube-apiserver 1.34.4 and etcd, which share the two cores with the manager; `embedded` is our own server.',
  '- VirtualMachineBMCs, each with its own Secret and its VM with two interfaces: the manager as in the image, with the permissions',
  '  of the chart. It starts when they exist, and works until it has sent nothing for 5 s. No controller runs Deployments, so agents do',
  '  not start. Then two pools are created, which give each VM two leases.',
  `- Requests are counted by the metrics of the manager, which are read every ${QUIET / 1000} s, as Prometheus does every 30 s.`,
  `- The API server alone: ${WRITERS} requests at once create the objects of further BMCs by server-side apply, in another namespace.`,
  '  The API server compares each Role and RoleBinding with the permissions of the manager; those of an administrator it does not read. Goal: a ratio',
  '  of at least 0.6.',
];

type Figure = Pick<Measurement, 'what' | 'unit' | 'values' | 'goal'> & Partial<Pick<Measurement, 'server'>>;

async function measureSize(stage: Stage, size: number): Promise<Figure[]> {
  const { server, folder, command, progress, steady } = stage;
  const { client } = server;
  const [namespace, home, copies] = ['fleet', 'home', 'copies'];
  for (const name of [namespace, home, copies])
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  progress('creates virtual machines, Secrets and BMCs');
  await createFleet(client, namespace, size);
  const figures: Figure[] = [];
  const add = (what: string, unit: Measurement['unit'], value: number, goal?: number): void => {
    figures.push({ what, unit, values: [value], ...(goal === undefined ? {} : { goal }) });
    progress(`${what}: ${value.toFixed(2)} ${unit}`);
  };

  progress('the manager starts');
  const bmcs = await untilDone({ client, kind: VIRTUAL_MACHINE_BMCS, namespace }, isReconciled, size, PATIENCE);
  const start = (run: string): Promise<ImageManager> =>
    ImageManager.start(server, command, { namespace: home, watchNamespace: namespace, folder: join(folder, run) });
  let manager = await start('first');
  try {
    await bmcs.done;
    const elapsed = performance.now() - manager.started;
    const made = await quiet(manager);
    add('from the start until all are reconciled', 'ms', elapsed);
    add('writes for each BMC', 'requests', made.writes / size, size < 100 ? undefined : 9);
    add('reads for each BMC', 'requests', made.reads / size);
    add("manager's processor time for each BMC", 'ms', made.processorTime / size);
    add(WRITES, '/s', (made.writes * 1000) / elapsed);
    add("manager's memory", 'MB', made.resident, 300);

    await pause(steady);
    const later = await manager.figures();
    add(`requests in ${steady / 1000} s without a change`, 'requests', total(later) - total(made), 0);
    const idle = later.processorTime - made.processorTime;
    add("manager's processor time for a second without a change", 'ms', (idle * 1000) / steady);

    const before = manager.processorTime;
    await client.patch(VIRTUAL_MACHINE_BMCS, { namespace, name: nameOf(0) }, 'merge', {
      spec: { service: { labels: { rack: 'a' } } },
    });
    await pause(QUIET);
    add("manager's processor time for one change", 'ms', manager.processorTime - before);
    const changed = await quiet(manager);
    add('requests for one change', 'requests', total(changed) - total(later));
    const unread = manager.processorTime;
    await manager.figures();
    add("manager's processor time for reading its metrics", 'ms', manager.processorTime - unread);
  } finally {
    await manager.close();
  }

  const token = await serviceAccountToken(client, await applyManagerRbac(server, home));
  const permitted = clientOf({ server: server.server, ca: server.ca, token });
  const alone = await bareWriteRates(
    client,
    { "alone, manager's permissions": permitted, 'alone, administrator': client },
    { from: namespace, into: copies, count: Math.min(COPIES, Math.max(size, 30)) },
  );
  await permitted.close();
  for (const [name, rate] of Object.entries(alone)) {
    figures.push({ what: WRITES, unit: '/s', server: `API server ${name}`, values: [rate] });
    progress(`${name}: ${rate.toFixed(0)} writes/s`);
  }

  manager = await start('second');
  try {
    const again = await quiet(manager);
    add('writes of a restart', 'requests', again.writes);
    add('reads of a restart', 'requests', again.reads);
    add("manager's processor time of a restart", 'ms', again.processorTime);
    add("manager's memory after a restart", 'MB', again.resident, 300);

    progress('creates pools');
    const configs = await untilDone(
      { client, kind: VIRTUAL_MACHINE_NETWORK_CONFIGS, namespace },
      ({ status }) => status?.phase === 'Ready',
      size,
      PATIENCE,
    );
    const began = performance.now();
    await createPools(client, namespace);
    await configs.done;
    const elapsed = performance.now() - began;
    const leased = await quiet(manager);
    const leases = size * NETWORKS.length;
    add('from the pools until all have leases', 'ms', elapsed);
    add('writes for each lease', 'requests', (leased.writes - again.writes) / leases);
    add('reads for each lease', 'requests', (leased.reads - again.reads) / leases);
    add("manager's processor time for each lease", 'ms', (leased.processorTime - again.processorTime) / leases);
    add("manager's writes of leases", '/s', ((leased.writes - again.writes) * 1000) / elapsed);
    add("manager's memory with leases", 'MB', leased.resident, 300);
    await pause(steady);
    add(`requests in ${steady / 1000} s with leases`, 'requests', total(await manager.figures()) - total(leased), 0);
    return figures;
  } finally {
    await manager.close();
  }
}

/** Waits until the manager has sent nothing for a while. */
export async function quiet(manager: ImageManager): Promise<ManagerFigures> {
  const deadline = performance.now() + PATIENCE;
  for (let last = -1; ;) {
    const figures = await manager.figures();
    if (total(figures) === last) return figures;
    if (performance.now() > deadline) throw new Error(`the manager still sends requests after ${PATIENCE} ms`);
    last = total(figures);
    await pause(QUIET);
  }
}

function total({ reads, writes }: ManagerFigures): number {
  return reads + writes;
}
