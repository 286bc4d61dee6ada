import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, inject } from 'vitest';
import { NAMESPACES, SERVICE_ACCOUNTS, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { eventually } from './eventually.ts';
import { startManager, type ManagerOptions, type RunningManager } from './manager.ts';
import { httpOver, type Http } from './http.ts';
import { kubectlFor, type Kubectl } from './kubectl.ts';
import { describeNamespaces } from './report.ts';
import { clientOf, type Outage, type TestServer } from './server.ts';
import { startStandIns, type StandInOptions, type StandIns } from './stand-ins.ts';
import { sweep } from './sweep.ts';
import { serviceAccountToken } from './service-accounts.ts';
import { watchOver, type Watch } from './watch.ts';

/** A cluster for tests; the same suite runs on the embedded API server and on a real one. */
export interface Cluster {
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  readonly ca: string;
  /** Has all permissions. */
  readonly client: KubeClient;
  /** The same permissions, with raw responses. */
  readonly http: Http;
  /** Raw watches. */
  readonly watch: Watch;
  /** The real kubectl as the administrator. */
  readonly kubectl: Kubectl;
  readonly outage: Outage;
  /** Deletes the server's history up to now; the embedded server deletes history itself after some hundred changes. */
  readonly compact: () => Promise<void>;
  /** Creates a unique namespace. */
  readonly namespace: () => Promise<string>;
  /** A client with the permissions of a service account, which is created if it does not exist. */
  readonly clientFor: (account: Required<ObjectRef>) => Promise<KubeClient>;
  /** Starts simulators of KubeVirt, Deployments, a node and Services. */
  readonly standIns: (options?: StandInOptions) => Promise<StandIns>;
  /** Starts the manager as a separate process with its service account's token and the RBAC of the chart. */
  readonly manager: (options?: ManagerOptions) => Promise<RunningManager>;
}

/**
 * The cluster of this test file, according to the vitest project. Call it once, at the top of the file. It ends with
 * the file. If a test fails, the cluster's objects and the output of its programs are printed.
 *
 * @example const { client, namespace } = await cluster();
 */
export async function cluster(): Promise<Cluster> {
  // A file that fails while it is loaded has no `afterAll`, and its stand-ins would keep their ports.
  await last?.close();
  const server = await startServer();
  const parts = new ClusterParts(server);
  last = parts;
  beforeEach(() => {
    parts.beginTest();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(await parts.report(task.name));
  });
  afterAll(() => parts.close());
  return parts;
}

/** Of the last file that this worker has run. */
let last: ClusterParts | undefined;

/** Loads only the server that the project needs: the code of the other one may be broken. */
async function startServer(): Promise<TestServer> {
  if (inject('server') !== 'embedded') {
    const { kubernetesServer } = await import('./kubernetes/server.ts');
    return kubernetesServer();
  }
  const { embeddedServer } = await import('./embedded/server.ts');
  return await embeddedServer();
}

/** For controllers of Kubernetes, which share the processors with other test files. */
const SLOW = { timeout: 60_000 };

class ClusterParts implements Cluster {
  readonly http: Http;
  readonly watch: Watch;
  readonly kubectl: Kubectl;
  readonly #server: TestServer;
  readonly #folder = mkdtempSync(join(tmpdir(), 'groundcrew-test-'));
  readonly #namespaces: string[] = [];
  /** Namespaces of finished tests, which are not relevant for a current failure. */
  #past: readonly string[] = [];
  /** Namespaces created outside of tests, shared by several tests. */
  #shared: readonly string[] | undefined;
  readonly #running: { close(): Promise<void> }[] = [];
  #isClosed = false;
  readonly #managers: RunningManager[] = [];

  constructor(server: TestServer) {
    this.#server = server;
    this.http = httpOver(server.transport);
    this.watch = watchOver(server.transport);
    this.kubectl = kubectlFor(server, join(this.#folder, 'kubectl'));
  }

  get server(): string {
    return this.#server.server;
  }

  get ca(): string {
    return this.#server.ca;
  }

  get client(): KubeClient {
    return this.#server.client;
  }

  get outage(): Outage {
    return this.#server.outage;
  }

  readonly compact = async (): Promise<void> => {
    await this.#server.compact();
  };

  readonly namespace = async (): Promise<string> => {
    const name = `test-${randomBytes(4).toString('hex')}`;
    await this.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    this.#namespaces.push(name);
    // Pods cannot be created before the default service account exists.
    if (this.#server.kubeVirt !== undefined) {
      await eventually(() => this.client.get(SERVICE_ACCOUNTS, { namespace: name, name: 'default' }), SLOW);
    }
    return name;
  };

  readonly clientFor = async (account: Required<ObjectRef>): Promise<KubeClient> => {
    await this.client.apply(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
    const token = await serviceAccountToken(this.client, account);
    const client = clientOf({ server: this.server, ca: this.ca, token }, account.name);
    this.#running.push(client);
    return client;
  };

  readonly standIns = async (options: StandInOptions = {}): Promise<StandIns> => {
    const standIns = await startStandIns(this.#server, join(this.#folder, 'kubelet'), options);
    this.#running.push(standIns);
    return standIns;
  };

  readonly manager = async (options: ManagerOptions = {}): Promise<RunningManager> => {
    const manager = await startManager(
      this.#server,
      options.namespace ?? (await this.namespace()),
      this.#folder,
      options,
    );
    this.#running.push(manager);
    this.#managers.push(manager);
    return manager;
  };

  beginTest(): void {
    this.#shared ??= [...this.#namespaces];
    this.#past = [...this.#namespaces];
  }

  async report(test: string): Promise<string> {
    const managers = this.#managers.map((manager) => `--- log of the manager\n${manager.log()}`);
    const shared = this.#shared ?? [];
    const concerned = this.#namespaces.filter((name) => shared.includes(name) || !this.#past.includes(name));
    const objects = await describeNamespaces(this.client, concerned);
    return [`=== what the cluster holds as "${test}" has failed`, objects, ...managers].join('\n');
  }

  /** Managers first, so that they do not react to the deletions; simulators last, because they end the pods. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      for (const manager of this.#managers) await manager.close();
      // After an outage the server answers 429 for custom resources until its caches are filled.
      if (this.#server.isShared) {
        const keepsKubeVirt = this.#server.kubeVirt !== undefined;
        await eventually(() => sweep(this.client, this.#namespaces, { keepsKubeVirt }), SLOW);
      }
    } finally {
      for (const part of this.#running.reverse()) await part.close();
      await this.#server.close();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The API server of the project's suites. Only `cluster()` may use it; no assertion may depend on it. */
    server: 'embedded' | 'kubernetes' | 'kubevirt';
  }
}
