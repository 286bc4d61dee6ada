import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IP_POOLS, VIRTUAL_MACHINE_NETWORK_CONFIGS } from '../../../api/index.ts';
import { NAMESPACES } from '@groundcrew/controller-runtime';
import { imageNodeOptions } from '../../harness/container-image.ts';
import { embeddedServer } from '../../harness/embedded/server.ts';
import { installMultus } from '../../harness/multus.ts';
import { namespaceProblem } from '../../harness/namespaces/index.ts';
import type { TestServer } from '../../harness/server.ts';
import { startStandIns } from '../../harness/stand-ins.ts';
import { startContender } from '../dhcp/contender.ts';
import { createPool, Groundcrew, POOL_REF } from '../dhcp/contenders/groundcrew.ts';
import { BenchNetwork } from '../dhcp/network.ts';
import { memoryOf, processorTimeOf } from '../facts.ts';
import { buildCommand } from '../image.ts';
import { each, untilDone } from '../manager/fleet.ts';
import { ImageManager } from '../manager/image-manager.ts';
import { PATIENCE, quiet } from '../manager/section.ts';
import { OURS, type Measurement, type Options, type Progress, type Section } from '../measurement.ts';
import { copyMachine, createMachine, createNetwork, patternOf } from './machines.ts';

const LEASES = '65000';
/** Leases that the manager makes first and last; those in between are created as the manager would have made them. */
const STEP = 1_000;
const RESTARTS = 3;
const HOME = 'home';

const { namespace } = POOL_REF;

/** Measures one pool as it fills up. Options: `--leases=65000`; `--profile=<folder>` for CPU profiles of the manager. */
export async function measurePool(progress: Progress, options: Options): Promise<Section> {
  const leases = Number(options['leases'] ?? LEASES);
  if (!(leases >= 2 * STEP && leases <= 65_000)) throw new RangeError(`--leases is from ${2 * STEP} to 65000`);
  const profiling = options['profile'] === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options['profile']}`];
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bench-'));
  const command = buildCommand();
  const server = await embeddedServer();
  try {
    // Only its kinds: nothing runs virtual machines.
    await (await startStandIns(server, join(folder, 'stand-ins'), { parts: ['kubevirt'] })).close();
    await installMultus(server.client);
    for (const name of [namespace, HOME])
      await server.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const run = new Run({ server, folder, command, profiling, leases, progress });
    await run.measure();
    return { title: 'One pool', introduction: INTRODUCTION, inputs: [], measurements: run.measurements };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const INTRODUCTION = [
  '- One IPPool on the embedded API server, which shares the two cores. Each VM has one interface, so one VirtualMachineNetworkConfig and one IPLease.',
  `- The manager, as in the image, makes the first and the last ${STEP} configs and leases. In between it is stopped, and those are created as it would`,
  '  have made them. Then it starts again, until it has sent nothing for 5 s.',
  '- The DHCP agent, as in the image, is started with that number of leases, then killed and started again: until the first VM has its lease. Nothing was stored on disk before the first start.',
];

interface Stage {
  server: TestServer;
  folder: string;
  /** The path of the bundle. */
  command: string;
  /** Node's options for the manager. */
  profiling: readonly string[];
  leases: number;
  progress: Progress;
}

/** One pool from its first lease to its last one. */
class Run {
  readonly measurements: Measurement[] = [];
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async measure(): Promise<void> {
    const { server, leases, progress } = this.#stage;
    const { client } = server;
    await createNetwork(client);
    await createPool(client, leases);
    await this.#withManager('first', STEP, async (manager) => {
      // It gets the first address, as the DHCP clients expect.
      await this.#lease(manager, 0, 1);
      await this.#lease(manager, 1, STEP, `leases 1 to ${STEP}`);
    });
    await this.#agent(STEP);
    progress(`creates what the manager would make for ${leases - 2 * STEP} VMs`);
    const pattern = await patternOf(client);
    await each(leases - 2 * STEP, async (index) => {
      await copyMachine(client, pattern, STEP + index);
      if (index % 5_000 === 0) progress(`${STEP + index} leases`);
    });
    await this.#withManager('last', leases - STEP, async (manager) => {
      await this.#lease(manager, leases - STEP, leases, `leases ${leases - STEP + 1} to ${leases}`);
    });
    await this.#agent(leases);
  }

  async #withManager(name: string, leases: number, work: (manager: ImageManager) => Promise<void>): Promise<void> {
    const { server, folder, command, profiling } = this.#stage;
    const manager = await ImageManager.start(server, [...imageNodeOptions(), ...profiling, command], {
      ...{ namespace: HOME, watchNamespace: namespace },
      folder: join(folder, name),
    });
    try {
      if (leases > STEP) {
        const { processorTime, resident, reads, writes } = await quiet(manager);
        this.#add(`manager's processor time of a start with ${leases} leases`, 'ms', processorTime);
        this.#add(`manager's memory after a start with ${leases} leases`, 'MB', resident);
        this.#add(`requests of a start with ${leases} leases`, 'requests', reads + writes);
      }
      await work(manager);
      const { resident } = await manager.figures();
      const all = leases > STEP ? leases + STEP : STEP;
      this.#add(`manager's memory with ${all} leases`, 'MB', resident);
      const size = JSON.stringify(await server.client.get(IP_POOLS, POOL_REF)).length;
      this.#add(`the IPPool with ${all} leases`, 'kB', size / 1000);
    } finally {
      await manager.close();
    }
  }

  /** Creates virtual machines and waits until the manager has made their leases. */
  async #lease(manager: ImageManager, first: number, end: number, what?: string): Promise<void> {
    const { client } = this.#stage.server;
    const before = await quiet(manager);
    const configs = await untilDone(
      { client, kind: VIRTUAL_MACHINE_NETWORK_CONFIGS, namespace },
      ({ metadata, status }) => status?.phase === 'Ready' && Number(metadata.name.slice('vm-'.length)) >= first,
      end - first,
      PATIENCE,
    );
    const began = performance.now();
    await each(end - first, async (index) => {
      await createMachine(client, first + index);
    });
    await configs.done;
    const elapsed = performance.now() - began;
    const after = await quiet(manager);
    if (what === undefined) return;
    const count = end - first;
    this.#add(`${what}: manager's processor time for each`, 'ms', (after.processorTime - before.processorTime) / count);
    this.#add(`${what}: writes for each`, 'requests', (after.writes - before.writes) / count);
    this.#add(`${what}: reads for each`, 'requests', (after.reads - before.reads) / count);
    this.#add(`${what}: rate`, '/s', (count * 1000) / elapsed);
  }

  /** Starts a DHCP agent several times. Needs root for network namespaces. */
  async #agent(leases: number): Promise<void> {
    const { server, command, progress } = this.#stage;
    const problem = namespaceProblem();
    if (problem !== undefined) {
      progress(`LEFT OUT the DHCP agent: ${problem}`);
      return;
    }
    const network = new BenchNetwork();
    try {
      const running = await startContender(new Groundcrew(server, command), network);
      try {
        const what = `DHCP agent with ${leases} leases`;
        this.#add(`${what}: processor time until it answers`, 'ms', processorTimeOf(running.pid));
        this.#add(`${what}: resident memory when it answers`, 'MB', memoryOf(running.pid));
        const restarts: number[] = [];
        for (let restart = 0; restart < RESTARTS; restart += 1) restarts.push(await running.restart());
        this.#add(`${what}: from the start of the process to the first lease`, 'ms', ...restarts);
      } finally {
        await running.close();
      }
    } finally {
      network.close();
    }
  }

  #add(what: string, unit: Measurement['unit'], ...values: number[]): void {
    this.measurements.push({ what, server: OURS, unit, values });
    this.#stage.progress(`${what}: ${values.map((value) => value.toFixed(2)).join(', ')} ${unit}`);
  }
}
