import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, inject } from 'vitest';
import { NAMESPACES, SERVICE_ACCOUNTS, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { eventually } from './eventually.ts';
import { startManager, type ManagerOptions, type RunningManager } from './manager.ts';
import type { Outage } from './outage.ts';
import { httpOver, type Http } from './http.ts';
import { kubectlFor, type Kubectl } from './kubectl.ts';
import { describeNamespaces } from './report.ts';
import { clientOf, type TestServer } from './server.ts';
import { startStandIns, type StandInOptions, type StandIns } from './stand-ins.ts';
import { sweep } from './sweep.ts';
import { serviceAccountToken } from './tokens.ts';
import { watchOver, type Watch } from './watch.ts';

/** A cluster to test against; the same suite runs on the embedded API server and on a real one. */
export interface Cluster {
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  readonly ca: string;
  /** May do everything. */
  readonly client: KubeClient;
  /** The same, with answers as they stand. */
  readonly http: Http;
  /** Watches as they stand. */
  readonly watch: Watch;
  /** The real kubectl, as the administrator. */
  readonly kubectl: Kubectl;
  readonly outage: Outage;
  /** Makes the server forget what was before now; the embedded one forgets by itself, after some hundred changes. */
  readonly compact: () => Promise<void>;
  /** Makes a namespace that nothing else uses; it goes with the cluster. */
  readonly namespace: () => Promise<string>;
  /** A client that is a service account, with its permissions and no others; made where it does not exist. */
  readonly clientFor: (account: Required<ObjectRef>) => Promise<KubeClient>;
  /** Starts KubeVirt, Deployments, a node and Services beside the server. */
  readonly standIns: (options?: StandInOptions) => Promise<StandIns>;
  /** Starts the manager as its own process, with its own service account's token under the chart's RBAC. */
  readonly manager: (options?: ManagerOptions) => Promise<RunningManager>;
}

/**
 * The cluster of this test file, by vitest project. Call it once, at the top of the file; it ends with the file, and
 * what the cluster holds and its programs said is printed when a test fails.
 *
 * @example
 * const { client, namespace } = await cluster();
 */
export async function cluster(): Promise<Cluster> {
  const server = await startServer();
  const parts = new ClusterParts(server);
  beforeEach(() => {
    parts.beginTest();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(await parts.report(task.name));
  });
  afterAll(() => parts.close());
  return parts;
}

/** Loads what the project needs and no more: the other server's code may be broken. */
async function startServer(): Promise<TestServer> {
  if (inject('server') !== 'embedded') {
    const { kubernetesServer } = await import('./kubernetes/server.ts');
    return kubernetesServer();
  }
  const { embeddedServer } = await import('./embedded/server.ts');
  return await embeddedServer();
}

class ClusterParts implements Cluster {
  readonly http: Http;
  readonly watch: Watch;
  readonly kubectl: Kubectl;
  readonly #server: TestServer;
  readonly #folder = mkdtempSync(join(tmpdir(), 'groundcrew-test-'));
  readonly #namespaces: string[] = [];
  /** Those of tests that are over: nothing there can explain what fails now. */
  #past: readonly string[] = [];
  /** Those made outside of tests, for several of them. */
  #shared: readonly string[] | undefined;
  readonly #running: { close(): Promise<void> }[] = [];
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
    // Pods cannot be made before its service account is there.
    if (this.#server.kubeVirt !== undefined) {
      await eventually(() => this.client.get(SERVICE_ACCOUNTS, { namespace: name, name: 'default' }));
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
    const manager = await startManager(this.#server, await this.namespace(), this.#folder, options);
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

  /** Managers first, so that they do not act on what is swept away; stand-ins last, since they end the pods. */
  async close(): Promise<void> {
    for (const manager of this.#managers) await manager.close();
    // After an outage the server answers 429 for custom resources until it has read them again.
    await eventually(() =>
      sweep(this.client, this.#namespaces, { keepsKubeVirt: this.#server.kubeVirt !== undefined }),
    );
    for (const part of this.#running.reverse()) await part.close();
    await this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Which API server the project's suites run on; for `cluster()` alone, no assertion may ask. */
    server: 'embedded' | 'kubernetes' | 'kubevirt';
  }
}
