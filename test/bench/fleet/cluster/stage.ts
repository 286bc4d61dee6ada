import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMESPACES, type KubeClient } from '@groundcrew/controller-runtime';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { DHCP_PORT } from '@groundcrew/kubevirt-simulator/networks';
import { imageEnvironment, imageNodeOptions } from '../../../harness/container-image.ts';
import { installCustomResources } from '../../../harness/custom-resources.ts';
import { ControlPlane } from '../../../harness/kubernetes/control-plane.ts';
import { clientOver, type TestServer } from '../../../harness/server.ts';
import { buildCommand } from '../../image.ts';
import { ImageManager } from '../../manager/image-manager.ts';
import { ChildProgram } from './child-program.ts';
import { RequestCounts, type RequestTotals } from './request-counts.ts';
import type { BmcAddress, SimulatorTask } from './simulator-program.ts';

export type ServerKind = 'embedded' | 'kubernetes';

/** Namespace of the manager. */
export const HOME = 'groundcrew-system';

export interface StageOptions {
  /** Namespace of the fleet, which is created and which the manager watches. */
  namespace: string;
  server: ServerKind;
  /** ms */
  bootTime: number;
  /** New folder for the logs of all processes; default: they are removed. */
  logs?: string;
}

/** A cluster of processes: an API server, the simulator of all that is not Groundcrew, and the manager as in the image. */
export class Stage {
  readonly client: KubeClient;
  readonly #api: ApiServerProcess;
  readonly #simulator: ChildProgram;
  readonly #parts: AsyncDisposableStack;

  private constructor(api: ApiServerProcess, simulator: ChildProgram, parts: AsyncDisposableStack) {
    this.client = api.server.client;
    this.#api = api;
    this.#simulator = simulator;
    this.#parts = parts;
  }

  static async start({ namespace, server: kind, bootTime, logs }: StageOptions): Promise<Stage> {
    await using parts = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'groundcrew-fleet-'));
    parts.defer(() => {
      if (logs !== undefined) cpSync(folder, logs, { recursive: true, filter: isFolderOrLog });
      rmSync(folder, { recursive: true, force: true });
    });
    const command = [...imageNodeOptions(), buildCommand(join(folder, 'image'))];
    const api = await (kind === 'embedded' ? startEmbedded(folder, parts) : startKubernetes(folder, parts));
    const { client, server, ca, credentials } = api.server;
    await installCustomResources(client);
    for (const name of [namespace, HOME])
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const simulator = ChildProgram.start(
      join(import.meta.dirname, 'simulator-program.ts'),
      {
        ...{ server, ca, credentials, bootTime },
        directory: join(folder, 'node'),
        image: { command: [process.execPath, ...command], environment: agentEnvironment() },
      } satisfies SimulatorTask,
      join(folder, 'simulator.log'),
    );
    parts.defer(() => simulator.close());
    await simulator.ask('ready');
    const manager = await ImageManager.start(api.server, command, {
      ...{ namespace: HOME, watchNamespace: namespace, folder: join(folder, 'home') },
      // Networks are simulated on loopback, as in the sandbox.
      args: ['--dhcp-agent-arg=--loopback-port', `--dhcp-agent-arg=${DHCP_PORT}`, '--log-level=warn'],
    });
    parts.defer(() => manager.close());
    return new Stage(api, simulator, parts.move());
  }

  /** Process of which the agents are descendants. */
  get node(): number {
    return this.#simulator.pid;
  }

  /** The addresses of Services of BMCs; null for one whose ports are not open. */
  async addresses(namespace: string, names: readonly string[]): Promise<(BmcAddress | null)[]> {
    return await this.#simulator.ask('addresses', { namespace, names });
  }

  /** All requests since the start, as the API server counts them. */
  async requests(): Promise<RequestTotals> {
    return await this.#api.requests();
  }

  async close(): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

function isFolderOrLog(path: string): boolean {
  return path.endsWith('log') || statSync(path).isDirectory();
}

/** The file system of a pod is read-only, so there is no compile cache. */
function agentEnvironment(): Record<string, string> {
  return { ...imageEnvironment(), NODE_DISABLE_COMPILE_CACHE: '1' };
}

interface ApiServerProcess {
  server: TestServer;
  requests: () => Promise<RequestTotals>;
}

async function startEmbedded(folder: string, parts: AsyncDisposableStack): Promise<ApiServerProcess> {
  const program = ChildProgram.start(
    join(import.meta.dirname, 'api-server-program.ts'),
    null,
    join(folder, 'api-server.log'),
  );
  parts.defer(() => program.close());
  const { server, ca, token } = await program.ask<{ server: string; ca: string; token: string }>('ready');
  const transport = undiciTransport({ server, ca, token });
  const client = clientOver(transport, 'fleet');
  parts.defer(() => client.close());
  const never = (): never => {
    throw new Error('the API server of the load generator does not end before it');
  };
  return {
    server: {
      ...{ server, ca, transport, client, credentials: { token }, rbac: false, isShared: false },
      outage: { begin: never, end: never },
      compact: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    requests: () => program.ask('counts'),
  };
}

/** A line of kube-apiserver's audit log: audit.k8s.io/v1 Event. */
interface AuditEvent {
  verb: string;
  requestURI: string;
  user: { username: string };
  responseStatus?: { code: number };
}

async function startKubernetes(folder: string, parts: AsyncDisposableStack): Promise<ApiServerProcess> {
  const auditLog = join(folder, 'audit.log');
  const plane = await ControlPlane.start({ auditLog });
  parts.defer(() => plane.close());
  return {
    server: plane.asTestServer(),
    requests: () => {
      const counts = new RequestCounts();
      for (const line of readFileSync(auditLog, 'utf8').split('\n')) {
        if (line === '') continue;
        const { verb, requestURI, user, responseStatus } = JSON.parse(line) as AuditEvent; // Written by kube-apiserver.
        const path = requestURI.split('?', 1)[0] ?? '';
        const method = verb === 'create' ? 'POST' : verb;
        counts.add({ user: user.username, method, path, status: responseStatus?.code ?? 0 });
      }
      return Promise.resolve(counts.totals);
    },
  };
}
