import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from './free-port.ts';
import { tokenKubeconfig } from './kubeconfig.ts';
import { ServerProcess } from './process.ts';
import { applyManagerRbac } from './rbac.ts';
import { repository } from './repository.ts';
import type { TestServer } from './server.ts';
import { AGENT_IMAGE, groundcrew } from './stand-ins.ts';
import { serviceAccountToken } from './service-accounts.ts';

const READY_TIMEOUT = 20_000;

/** A version as it is installed. */
export interface Release {
  /** The command `groundcrew`; arguments are appended. */
  command: readonly [string, ...string[]];
  /** Folder of its chart. */
  chart: string;
}

export interface ManagerOptions {
  /** Namespace of a stopped manager, which this one follows; default: a new one. */
  namespace?: string;
  /** Watched namespaces; default all. */
  watchNamespaces?: readonly string[];
  /** Default false, because there is only one manager. */
  leaderElect?: boolean;
  /** Chart values that affect permissions; default: the chart's own values. */
  set?: readonly string[];
  /** Another version of the manager; default: this one. */
  release?: Release;
  /** Additional command-line arguments. */
  args?: readonly string[];
  /** Resolve when the process has started, before it is ready. */
  awaitReady?: boolean;
  /** Address and CA of a proxy to the API server. */
  through?: { server: string; ca: string };
  /** Options of Node. */
  nodeOptions?: readonly string[];
}

export interface RunningManager {
  /** Namespace of its service account and Lease. */
  readonly namespace: string;
  /** Base URL of /healthz and /readyz. */
  readonly health: string;
  /** URL of /metrics. */
  readonly metrics: string;
  /** Undefined if it does not run. */
  readonly pid: number | undefined;
  /** All log output. */
  log(): string;
  /** Resolves when it has ended, with its exit code; null if a signal ended it. */
  ended(): Promise<number | null>;
  /** Stops it with SIGSTOP, which it does not notice, until `resume`. */
  pause(): void;
  resume(): void;
  /** Stops it with SIGTERM and a grace period, or with SIGKILL. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Restarts it after `stop`, and resolves when it is ready. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the manager as a child process with exactly the permissions of the chart. */
export async function startManager(
  server: TestServer,
  namespace: string,
  folder: string,
  options: ManagerOptions,
): Promise<RunningManager> {
  const account = await applyManagerRbac(server, namespace, options.set, options.release?.chart);
  const token = await serviceAccountToken(server.client, account);
  const [health = 0, metrics = 0] = await freePorts(2);
  // A namespace may have several managers.
  const file = join(folder, `${namespace}-${health}`);
  const kubeconfig = `${file}.kubeconfig`;
  writeFileSync(kubeconfig, tokenKubeconfig(options.through ?? server, token), { mode: 0o600 });
  const [command, ...args] = options.release?.command ?? groundcrew;
  const child = new ServerProcess({
    command,
    args: [
      ...(options.nodeOptions ?? []),
      ...args,
      'manager',
      `--agent-image=${AGENT_IMAGE}`,
      `--namespace=${namespace}`,
      `--kubeconfig=${kubeconfig}`,
      `--health-address=127.0.0.1:${health}`,
      `--metrics-address=127.0.0.1:${metrics}`,
      // Networks are simulated on loopback, as in the sandbox.
      '--dhcp-agent-arg=--loopback-port',
      '--dhcp-agent-arg=10067',
      '--log-level=debug',
      ...(options.leaderElect === true ? ['--leader-elect'] : []),
      ...(options.watchNamespaces ?? []).map((name) => `--watch-namespace=${name}`),
      // An older one may not know them.
      ...(options.release === undefined
        ? ['--finalizer-role=groundcrew-finalizers', `--service-account=${account.name}`]
        : []),
      ...(options.args ?? []),
    ],
    cwd: repository,
    log: `${file}.log`,
  });
  const start = async () => {
    child.start();
    if (options.awaitReady === false) return;
    await child.waitUntil(async () => {
      const response = await fetch(`http://127.0.0.1:${health}/readyz`);
      if (!response.ok) throw new Error(`/readyz: ${response.status} ${await response.text()}`);
    }, READY_TIMEOUT);
  };
  await start();
  return {
    namespace,
    health: `http://127.0.0.1:${health}`,
    metrics: `http://127.0.0.1:${metrics}/metrics`,
    get pid() {
      return child.pid;
    },
    log: () => child.logTail(Infinity),
    ended: () => child.ended(),
    pause: () => {
      child.signal('SIGSTOP');
    },
    resume: () => {
      child.signal('SIGCONT');
    },
    stop: async (signal) => {
      await child.stop(signal);
    },
    start,
    close: () => child.dispose(),
  };
}
