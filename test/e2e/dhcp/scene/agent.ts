import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../../harness/eventually.ts';
import { NetworkNamespace, Tunnel, type Lan } from '../../../harness/namespaces/index.ts';
import type { ServerProcess } from '../../../harness/process.ts';
import { repository } from '../../../harness/repository.ts';
import type { PodEnvironment } from '../../../harness/service-accounts.ts';
import { groundcrew } from '../../../harness/stand-ins.ts';

const HEALTH_PORT = 10_080;
const READY_TIMEOUT = 20_000;

export interface AgentOptions {
  lan: Lan;
  podNetwork: Lan;
  /** `namespace/name` of the network. */
  key: string;
  poolNamespace: string;
  /** Index of the agent's address in the pool's `serverIPs`. */
  index: number;
  /** That address. */
  serverAddress: string;
  /** Of the pod. The API server listens on this process's loopback. */
  pod: PodEnvironment;
  folder: string;
}

/** A DHCP agent in a namespace like its pod's: eth0 with the default route, net1 on the VM network, no capabilities. */
export class Agent {
  readonly namespace = new NetworkNamespace();
  readonly index: number;
  readonly #options: AgentOptions;
  readonly #podAddress: string;
  readonly #snapshots: string;
  readonly #process: ServerProcess;
  #tunnel: Tunnel | undefined;

  constructor(options: AgentOptions) {
    const { lan, podNetwork, index, serverAddress, folder } = options;
    this.#options = options;
    this.index = index;
    this.#snapshots = join(folder, `snapshots-${index}`);
    this.#podAddress = `10.244.0.${index + 2}`;
    podNetwork.attach(this.namespace, { device: 'eth0', address: `${this.#podAddress}/24` });
    this.namespace.ip('route', 'add', 'default', 'via', '10.244.0.1', 'dev', 'eth0');
    lan.attach(this.namespace, { device: 'net1', address: `${serverAddress}/16` });
    const [command, ...leading] = groundcrew;
    // As in a pod: root without capabilities, and a sysctl that permits port 67 for all users.
    const args = [
      '--bounding-set=-all',
      '--inh-caps=-all',
      '--no-new-privs',
      command,
      ...leading,
      ...this.#arguments(),
    ];
    this.#process = this.namespace.process('setpriv', args, {
      log: join(folder, `agent-${index}.log`),
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...options.pod,
      },
      cwd: repository,
    });
  }

  /** Resolves when the agent is ready. */
  async start(): Promise<void> {
    const { folder, pod } = this.#options;
    const health = `${this.#podAddress}:${HEALTH_PORT}`;
    if (this.#tunnel === undefined) {
      const unprivileged = 'echo 67 > /proc/sys/net/ipv4/ip_unprivileged_port_start';
      await this.namespace.run('sh', ['-c', unprivileged]);
      this.#tunnel = await Tunnel.open(this.namespace, {
        folder,
        inward: [Number(pod.KUBERNETES_SERVICE_PORT)],
        outward: [health],
      });
    }
    const tunnel = this.#tunnel;
    // The kernel reports new carriers once a second at most; until then Node does not list the interface.
    await eventually(() => {
      if (!this.namespace.ip('link', 'show', 'net1').includes('state UP')) throw new Error('net1 has no carrier');
    });
    this.#process.start();
    await this.#process.waitUntil(async () => {
      const { status, body } = await tunnel.get(health, '/readyz');
      if (status !== 200) throw new Error(`/readyz: ${status} ${body}`);
    }, READY_TIMEOUT);
  }

  /** Whether it has written its snapshot to disk. */
  get hasSnapshot(): boolean {
    return readdirSync(this.#snapshots).length > 0;
  }

  /** Its metrics, as Prometheus reads them. */
  async metrics(): Promise<string> {
    const answer = await this.#tunnel?.get(`${this.#podAddress}:${HEALTH_PORT}`, '/metrics');
    return answer?.body ?? '';
  }

  async kill(): Promise<void> {
    await this.#process.stop('SIGKILL');
  }

  log(): string {
    return this.#process.logTail(100);
  }

  async close(): Promise<void> {
    await this.#process.dispose();
    await this.#tunnel?.close();
    this.namespace.close();
  }

  #arguments(): string[] {
    const { key, poolNamespace, index } = this.#options;
    mkdirSync(this.#snapshots, { recursive: true });
    return [
      ...['agent', 'dhcp', '--network', key, '--server-index', String(index), '--pool-namespace', poolNamespace],
      ...['--pod-name', `prod-net-dhcp-${index}`, '--bind-address', this.#podAddress],
      ...['--health-port', String(HEALTH_PORT), '--snapshot-dir', this.#snapshots, '--log-level', 'debug'],
    ];
  }
}
