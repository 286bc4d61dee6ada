import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { IP_LEASES, IP_POOLS, LABELS, leaseName, networkLabel } from '../../../../api/index.ts';
import { NAMESPACES, SERVICE_ACCOUNTS, type KubeClient } from '@groundcrew/controller-runtime';
import { embeddedServer } from '../../../harness/embedded/server.ts';
import { eventually } from '../../../harness/eventually.ts';
import { Tunnel } from '../../../harness/namespaces/index.ts';
import type { TestServer } from '../../../harness/server.ts';
import { podEnvironment } from '../../../harness/service-accounts.ts';
import { OURS } from '../../measurement.ts';
import { imageEnvironment, imageNodeOptions } from '../../../harness/container-image.ts';
import { buildCommand } from '../../image.ts';
import { addressText, macText, MACHINES, SITE } from '../addresses.ts';
import type { Contender } from '../contender.ts';

const NAMESPACE = 'vms';
const POOL = 'bench';
/** The pool, and the net-attach-def, which has the same name. */
export const POOL_REF = { namespace: NAMESPACE, name: POOL } as const;
const KEY = `${NAMESPACE}/${POOL}`;
const ACCOUNT = { namespace: NAMESPACE, name: 'bench-dhcp' };
const API_VERSION = 'network.harvesterhci.io/v1alpha1';
/** Number of leases created at once. */
const BATCH = 50;
const HEALTH = '127.0.0.1:10080';
const SETTLE_TIMEOUT = 120_000;

/** Our agent as in the image, on an API server with the pool and its leases. The API server ends with this object. */
export class Groundcrew implements Contender, AsyncDisposable {
  readonly name = OURS;
  readonly #server: TestServer;
  readonly #command: string;
  #tunnel: Tunnel | undefined;

  /** @param server has the namespace */
  constructor(server: TestServer, command: string) {
    this.#server = server;
    this.#command = command;
  }

  static async create(progress: (line: string) => void): Promise<Groundcrew> {
    const command = buildCommand();
    const server = await embeddedServer();
    try {
      progress(`${MACHINES} IPLeases are created`);
      await server.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
      await createPool(server.client, MACHINES);
      await fill(server.client);
      return new Groundcrew(server, command);
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  async prepare(...[network, folder]: Parameters<Contender['prepare']>): ReturnType<Contender['prepare']> {
    const port = Number(new URL(this.#server.server).port);
    await this.#server.client.apply(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: ACCOUNT });
    const tunnel = await Tunnel.open(network.server, { folder, inward: [port], outward: [HEALTH] });
    this.#tunnel = tunnel;
    const env = {
      ...(await podEnvironment(this.#server, ACCOUNT, join(folder, 'service-account'))),
      ...imageEnvironment(),
      // The file system of a pod is read-only, so there is no compile cache.
      NODE_DISABLE_COMPILE_CACHE: '1',
    };
    const args = [
      ...[...imageNodeOptions(), this.#command, 'agent', 'dhcp', '--network', KEY, '--server-index', '0'],
      ...['--pool-namespace', NAMESPACE, '--pod-name', 'bench', '--bind-address', '127.0.0.1'],
      ...['--snapshot-dir', join(folder, 'snapshots')],
    ];
    mkdirSync(join(folder, 'snapshots'));
    const process_ = network.server.process(process.execPath, args, { log: join(folder, 'log'), env, cwd: folder });
    return { process: process_, close: () => tunnel.close() };
  }

  /** Resolves when the status of all leases is written, as in an agent that has run for a while. */
  async settled(): Promise<void> {
    await eventually(
      async () => {
        const { body } = (await this.#tunnel?.get(HEALTH, '/metrics')) ?? {};
        const backlog = /^groundcrew_dhcp_status_backlog (\d+)/m.exec(body ?? '')?.[1];
        if (backlog !== '0') throw new Error(`${backlog ?? 'an unknown number of'} leases are not written yet`);
      },
      { timeout: SETTLE_TIMEOUT, interval: 200 },
    );
  }

  /** Disconnects the agent from the API server; it has its snapshot on disk. */
  async cutOff(): Promise<void> {
    await this.#tunnel?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }
}

/** The pool of the addresses of the first `size` virtual machines. */
export async function createPool(client: KubeClient, size: number): Promise<void> {
  await client.create(IP_POOLS, {
    apiVersion: API_VERSION,
    kind: 'IPPool',
    metadata: POOL_REF,
    spec: {
      networkName: KEY,
      ipv4Config: {
        cidr: SITE.cidr,
        serverIP: SITE.server,
        pool: { start: addressText(0), end: addressText(size - 1) },
        router: SITE.router,
        dns: [SITE.dns],
        domainName: SITE.domain,
        mtu: SITE.mtu,
        leaseTime: SITE.leaseTime,
      },
    },
  });
}

async function fill(client: KubeClient): Promise<void> {
  for (let first = 0; first < MACHINES; first += BATCH) {
    await Promise.all(Array.from({ length: BATCH }, (_, index) => createLease(client, first + index)));
  }
}

async function createLease(client: KubeClient, index: number): Promise<void> {
  const ipAddress = addressText(index);
  await client.create(IP_LEASES, {
    apiVersion: API_VERSION,
    kind: 'IPLease',
    metadata: {
      namespace: NAMESPACE,
      name: leaseName(POOL, ipAddress),
      labels: { [LABELS.ipPool]: POOL, [LABELS.network]: networkLabel(KEY) },
    },
    spec: { ipAddress, macAddress: macText(index), hostname: `vm-${index}` },
  });
}
