import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, type Transport } from '@groundcrew/controller-runtime';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { findTool, howToInstall, type ToolName } from '../../tools/index.ts';
import { freePorts } from '../free-port.ts';
import { adminKubeconfig } from '../kubeconfig.ts';
import type { VirtHandlerIdentity } from '../kubevirt/control-plane.ts';
import { ServerProcess } from '../process.ts';
import type { TestServer } from '../server.ts';
import { createCertificates, type CertificateFile, type ControlPlaneCertificates } from './certificates.ts';

const READY_TIMEOUT = 60_000;

export interface ControlPlaneOptions {
  /**
   * Interval of etcd's progress notifications as a Go duration. Without them kube-apiserver sends no bookmarks for a
   * kind that does not change. Default: etcd's own, 10 minutes; kubeadm sets 5 s.
   */
  progressNotifyInterval?: string;
  /**
   * Whether Pods get a service account and its token volume; default false. virt-controller counts the volumes of its
   * Pods and needs it. Without it a Pod can be created immediately after its namespace.
   */
  serviceAccounts?: boolean;
  /** File in which kube-apiserver logs each request when it has answered it, without objects; default: it logs none. */
  auditLog?: string;
}

/** The data that a worker needs to reach the control plane of the global set-up; JSON-serialisable. */
export interface ControlPlaneAddress {
  server: string;
  ca: string;
  admin: { cert: string; key: string };
  /** Address at which `Outage` requests the kill and restart of the API server. */
  control: string;
  /** Set if the real KubeVirt runs in the control plane. */
  kubeVirt?: VirtHandlerIdentity;
}

/**
 * A real etcd, kube-apiserver and kube-controller-manager on loopback. RBAC and the aggregator are enabled. Only the
 * garbage collection and namespace controllers run; all others are under test or simulated.
 */
export class ControlPlane {
  readonly server: string;
  readonly certificates: ControlPlaneCertificates;
  /** Sends with the administrator's credentials. */
  readonly transport: Transport;
  readonly client: KubeClient;
  /** Folder of its files; removed at the end. */
  readonly folder: string;
  readonly #etcdUrl: string;
  readonly #etcd: ServerProcess;
  readonly #apiServer: ServerProcess;
  readonly #controllerManager: ServerProcess;

  private constructor(
    folder: string,
    ports: Ports,
    certificates: ControlPlaneCertificates,
    { serviceAccounts = false, progressNotifyInterval, auditLog }: ControlPlaneOptions,
  ) {
    this.folder = folder;
    this.#etcdUrl = `http://127.0.0.1:${ports.etcd}`;
    this.server = `https://127.0.0.1:${ports.api}`;
    this.certificates = certificates;
    const { ca, admin } = certificates;
    this.transport = undiciTransport({ server: this.server, ca, ...admin });
    this.client = new KubeClient({ transport: this.transport, fieldManager: 'groundcrew-tests' });
    const kubeconfig = join(folder, 'admin.kubeconfig');
    writeFileSync(kubeconfig, adminKubeconfig({ server: this.server, ca, ...admin }), { mode: 0o600 });
    this.#etcd = serverProcess(folder, 'etcd', [
      ...etcdFlags(folder, ports),
      ...(progressNotifyInterval === undefined ? [] : [`--watch-progress-notify-interval=${progressNotifyInterval}`]),
    ]);
    this.#apiServer = serverProcess(folder, 'kube-apiserver', [
      ...apiServerFlags(folder, ports, certificates),
      ...(serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
      ...(auditLog === undefined ? [] : auditFlags(folder, auditLog)),
    ]);
    const controllers = [...CONTROLLERS, ...(serviceAccounts ? ['serviceaccount-controller'] : [])];
    this.#controllerManager = controllerManager(folder, kubeconfig, controllers);
  }

  static async start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    const folder = mkdtempSync(join(tmpdir(), 'groundcrew-control-plane-'));
    const [api = 0, etcd = 0, peer = 0] = await freePorts(3);
    const plane = new ControlPlane(folder, { api, etcd, peer }, await createCertificates(folder), options);
    try {
      plane.#etcd.start();
      await plane.startApiServer();
      plane.#controllerManager.start();
    } catch (error) {
      await plane.close();
      throw error;
    }
    return plane;
  }

  /** Resolves when the API server is ready: 3 s after its start on 2 idle cores. */
  async startApiServer(): Promise<void> {
    this.#apiServer.start();
    await this.#apiServer.waitUntil(async () => {
      await this.client.request({ method: 'GET', path: '/readyz' });
    }, READY_TIMEOUT);
  }

  /** Simulates a power failure of the node: no connection is closed properly. */
  async killApiServer(): Promise<void> {
    await this.#apiServer.stop('SIGKILL');
  }

  /** Compacts etcd to the last revision, as kube-apiserver does every five minutes. */
  async compact(): Promise<void> {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const { header } = (await this.#askEtcd('/v3/maintenance/status', {})) as { header: { revision: string } };
    // API servers use this key to tell each other which part of their caches is compacted.
    await this.#askEtcd('/v3/kv/put', { key: base64('compact_rev_key'), value: base64(header.revision) });
    await this.#askEtcd('/v3/kv/compaction', { revision: header.revision, physical: true });
  }

  /** Sends a request to etcd's JSON API. */
  async #askEtcd(path: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.#etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd refused ${path}: ${await response.text()}`);
    return await response.json();
  }

  /** The server as suites use it, with this process in control of it. Closing it leaves the control plane running. */
  asTestServer(): TestServer {
    const { ca, admin } = this.certificates;
    return {
      ...{
        server: this.server,
        ca,
        credentials: admin,
        transport: this.transport,
        client: this.client,
        rbac: true,
        isShared: false,
      },
      compact: () => this.compact(),
      outage: { begin: () => this.killApiServer(), end: () => this.startApiServer() },
      close: () => Promise.resolve(),
    };
  }

  async close(): Promise<void> {
    await this.client.close();
    for (const process of [this.#controllerManager, this.#apiServer, this.#etcd]) await process.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const CONTROLLERS = ['garbage-collector-controller', 'namespace-controller'];

interface Ports {
  api: number;
  etcd: number;
  peer: number;
}

function serverProcess(folder: string, name: ToolName, args: string[]): ServerProcess {
  const command = findTool(name);
  if (command === undefined) throw new Error(`${name} is not on this machine; ${howToInstall(name)}`);
  return new ServerProcess({ command, args, log: join(folder, `${name}.log`) });
}

/** kube-controller-manager with some of its controllers, to be started. */
export function controllerManager(folder: string, kubeconfig: string, controllers: readonly string[]): ServerProcess {
  return serverProcess(folder, 'kube-controller-manager', [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    // Each controller uses its own service account, as in real clusters; webhooks and RBAC depend on it.
    '--use-service-account-credentials',
    // The default is 20 requests a second: the garbage collector falls behind tests that run at the same time.
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ]);
}

function etcdFlags(folder: string, { etcd, peer }: Ports): string[] {
  const client = `http://127.0.0.1:${etcd}`;
  const peers = `http://127.0.0.1:${peer}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
    '--unsafe-no-fsync',
  ];
}

function auditFlags(folder: string, file: string): string[] {
  const policy = join(folder, 'audit-policy.json');
  const omitStages = ['RequestReceived', 'ResponseStarted'];
  const rules = [{ level: 'Metadata' }];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages, rules }));
  // MB; without it the file is replaced at 100.
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${file}`, '--audit-log-maxsize=2000'];
}

function apiServerFlags(folder: string, ports: Ports, certificates: ControlPlaneCertificates): string[] {
  const file = (name: CertificateFile) => certificates.file(name);
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    `--secure-port=${ports.api}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${folder}`,
    `--tls-cert-file=${file('server.crt')}`,
    `--tls-private-key-file=${file('server.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    '--authorization-mode=RBAC',
    // Loopback addresses, so that a simulator can serve a Service's cluster IP.
    '--service-cluster-ip-range=127.96.0.0/16',
    '--allow-privileged=true',
    `--service-account-issuer=https://127.0.0.1:${ports.api}/`,
    `--service-account-key-file=${file('service-account.pub')}`,
    `--service-account-signing-key-file=${file('service-account.key')}`,
    // As in some distributions: only permitted users can set blockOwnerDeletion.
    '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
    '--endpoint-reconciler-type=none',
    '--kubelet-preferred-address-types=InternalIP',
    // Aggregation: KubeVirt's subresources are an APIService. `--enable-aggregator-routing` must stay off, because it
    // rejects Services of type ExternalName.
    `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${file('front-proxy.crt')}`,
    `--proxy-client-key-file=${file('front-proxy.key')}`,
  ];
}
