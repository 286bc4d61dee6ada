import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { freePorts, freePortRange } from '../../harness/free-port.ts';
import { repository, type Cluster } from '../../harness/index.ts';
import { ServerProcess } from '../../harness/process.ts';
import { groundcrew } from '../../harness/stand-ins.ts';
import { grantRole, podEnvironment } from '../../harness/service-accounts.ts';
import type { NetworkScene } from './network-scene.ts';

export interface AgentOptions {
  /** Default 0. */
  serverIndex?: number;
  /** Default: a separate folder. */
  snapshotDirectory?: string;
  extraArgs?: readonly string[];
  /** Resolve when the process has started, before it is ready. */
  awaitReady?: boolean;
}

export interface RunningAgent {
  readonly name: string;
  /** UDP port on 127.0.0.1. */
  readonly port: number;
  readonly snapshotDirectory: string;
  readonly pid: number | undefined;
  /** The response of /readyz. */
  readiness(): Promise<{ ok: boolean; text: string }>;
  /** A metric by its name and labels, exactly as printed; 0 if it is missing. */
  metric(sample: string): Promise<number>;
  /** Number of handled datagrams, answered or not. */
  handled(): Promise<number>;
  log(): string;
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  start(): Promise<void>;
}

const READY_TIMEOUT = 20_000;

/**
 * Starts agents as separate processes with the permissions of the manager's Role. They end with their test. Call it
 * once, at the top of the file.
 */
export function agents(cluster: Cluster) {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-dhcp-agent-'));
  const running: ServerProcess[] = [];
  let started = 0;
  afterEach(async ({ task }) => {
    for (const agent of running.splice(0)) {
      if (task.result?.state === 'fail') console.error(`--- log of an agent\n${agent.logTail()}`);
      await agent.dispose();
    }
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return async ({ namespace, network }: NetworkScene, options: AgentOptions = {}): Promise<RunningAgent> => {
    started += 1;
    const name = `agent-${started}`;
    const account = { namespace, name: 'dhcp-agent' };
    await grantRole(cluster.client, account, RULES);
    const pod = await podEnvironment(cluster, account, join(folder, name));
    const [health = 0] = await freePorts(1);
    const port = await freePortRange(1);
    const { serverIndex = 0, snapshotDirectory = join(folder, `${name}-snapshot`) } = options;
    mkdirSync(snapshotDirectory, { recursive: true });
    const [command, ...args] = groundcrew;
    const child = new ServerProcess({
      command,
      args: [
        ...args,
        ...['agent', 'dhcp', '--network', network, '--server-index', String(serverIndex)],
        ...['--pool-namespace', namespace, '--pod-name', name, '--bind-address', '127.0.0.1'],
        ...['--health-port', String(health), '--snapshot-dir', snapshotDirectory],
        ...['--loopback-port', String(port), '--log-level', 'debug'],
        ...(options.extraArgs ?? []),
      ],
      env: { PATH: process.env['PATH'], ...pod },
      cwd: repository,
      log: join(folder, `${name}.log`),
    });
    running.push(child);
    const readiness = async () => {
      const response = await fetch(`http://127.0.0.1:${health}/readyz`);
      return { ok: response.ok, text: await response.text() };
    };
    const lines = async () => (await (await fetch(`http://127.0.0.1:${health}/metrics`)).text()).split('\n');
    const start = async () => {
      child.start();
      if (options.awaitReady === false) return;
      await child.waitUntil(async () => {
        const { ok, text } = await readiness();
        if (!ok) throw new Error(text);
      }, READY_TIMEOUT);
    };
    await start();
    return {
      name,
      port,
      snapshotDirectory,
      get pid() {
        return child.pid;
      },
      readiness,
      metric: async (sample) =>
        Number(
          (await lines())
            .find((line) => line.startsWith(`${sample} `))
            ?.split(' ')
            .at(-1) ?? 0,
        ),
      handled: async () => datagramsIn(await lines()),
      log: () => child.logTail(Infinity),
      stop: (signal) => child.stop(signal),
      start,
    };
  };
}

/** Number of handled datagrams in the lines of /metrics. */
export function datagramsIn(lines: readonly string[]): number {
  return lines
    .filter((line) => line.startsWith('groundcrew_dhcp_packets_total{'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const GROUP = 'network.harvesterhci.io';

/** All permissions of an agent: the Role from the manager. */
const RULES = [
  { apiGroups: [GROUP], resources: ['ippools'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [GROUP], resources: ['ipleases'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [GROUP], resources: ['ipleases/status'], verbs: ['get', 'patch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];
