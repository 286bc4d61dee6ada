import {
  aborted,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  sleep,
} from '@groundcrew/controller-runtime';
import {
  type DhcpEndpoint,
  type DhcpEndpointOptions,
  type DhcpHandler,
  DhcpServer,
  type Ipv4,
} from '../../protocols/dhcp/index.ts';
import { formatIpv4 } from '../../api/index.ts';
import { AddressConflicts } from './conflicts/address-conflicts.ts';
import { RogueServers } from './conflicts/rogue-servers.ts';
import type { Neighbours } from './conflicts/neighbours.ts';
import { type DhcpGauges, DhcpMetrics } from './dhcp-metrics.ts';
import { observeDhcp } from './observe-dhcp.ts';
import { LeaseReports, SampledLog } from './reports.ts';
import { SnapshotKeeper } from './store/snapshot-keeper.ts';
import { LeaseStatusWriter } from './status/lease-status-writer.ts';
import { ClusterLeases } from './store/cluster-leases.ts';
import { LeaseTable } from './store/lease-table.ts';
import { PoolTable } from './pools/pool-table.ts';

export interface DhcpAgentOptions {
  client: KubeClient;
  events: EventRecorder;
  /** `namespace/name` of the net-attach-def whose pools are served. */
  network: string;
  /** Index of this agent's address in a pool's `serverIPs`. */
  serverIndex: number;
  /** Namespaces that have pools of the network. */
  namespaces: readonly string[];
  /** The pod of this process. */
  podName: string;
  /** Folder that survives restarts of the process. */
  snapshotDirectory: string;
  /** Binds the server to its sockets. */
  endpoint: (options: DhcpEndpointOptions) => DhcpEndpoint;
  /** Absent: declined addresses are not checked by ARP. */
  neighbours?: Neighbours;
  clock: Clock;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  logger: Logger;
}

/** Milliseconds to wait for the API server before using the snapshot on disk. */
const API_PATIENCE = 2000;
/** Milliseconds between attempts to bind addresses that no interface has yet. */
const BIND_PERIOD = 2000;

/** The DHCP server of one network: reads leases and pools from the API server and answers clients. */
export class DhcpAgent {
  readonly #options: DhcpAgentOptions;
  readonly #leases: LeaseTable;
  readonly #pools: PoolTable;
  readonly #cluster: ClusterLeases;
  readonly #snapshots: SnapshotKeeper;
  readonly #status: LeaseStatusWriter;
  readonly #endpoint: DhcpEndpoint;
  readonly #sampled: SampledLog;
  readonly #ending = new AbortController();
  readonly metrics: DhcpMetrics;
  #isFilled = false;
  #isBound = false;
  #missing: readonly Ipv4[] = [];
  /** Called when the served addresses have changed. */
  #wake: () => void = () => undefined;

  constructor(options: DhcpAgentOptions) {
    const { client, events, network, serverIndex, namespaces, podName, snapshotDirectory, clock, logger } = options;
    this.#options = options;
    this.#sampled = new SampledLog(clock);
    const reports = new LeaseReports({ events, logger });
    this.#leases = new LeaseTable({
      isFresh: () => this.#cluster.isFresh,
      onDuplicate: (served, others) => {
        reports.duplicate(served, others);
      },
      onInvalid: (record) => {
        reports.invalid(record);
      },
    });
    this.#pools = new PoolTable({
      network,
      serverIndex,
      onChange: (key, settings) => {
        this.#leases.setPool(key, settings);
        this.#wake();
      },
      onProblems: (pool, problems) => {
        reports.problems(pool, problems);
      },
    });
    this.#status = new LeaseStatusWriter({
      client,
      current: (record) => this.#leases.current(record),
      podName,
      clock,
      logger,
    });
    const tables = { pools: this.#pools, leases: this.#leases };
    this.#cluster = new ClusterLeases({ client, network, namespaces, ...tables, clock, logger });
    this.#snapshots = new SnapshotKeeper({ directory: snapshotDirectory, network, ...tables, clock, logger });
    this.metrics = new DhcpMetrics(() => this.#gauges());
    this.#endpoint = this.#bind();
  }

  /** What prevents it from serving, by check; undefined if nothing. For `/readyz`. */
  readonly checks: ReadonlyMap<string, () => string | undefined> = new Map([
    ['leases', () => (this.#isFilled ? undefined : `waiting for the lists of ${this.#cluster.missing}`)],
    ['sockets', () => (this.#isBound ? undefined : 'not bound yet')],
    [
      'addresses',
      () => (this.#missing.length === 0 ? undefined : `no interface has ${this.#missing.map(formatIpv4).join(', ')}`),
    ],
  ]);

  /**
   * Serves until `signal` is aborted; resolves after the last write, or when it fails.
   *
   * @throws Error of node:dgram if the port cannot be bound
   */
  async run(signal: AbortSignal): Promise<void> {
    const following = this.#cluster.run(this.#ending.signal);
    try {
      await this.#fill(signal);
      if (signal.aborted) return;
      await this.#endpoint.start();
      await Promise.all([this.#serve(signal), this.#snapshots.run(signal)]);
    } finally {
      await this.#endpoint.close();
      this.#isBound = false;
      await this.#status.close();
      this.#ending.abort();
      await following;
    }
  }

  /** Waits for the API server while there is no snapshot. */
  async #fill(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const synced = this.#cluster.synced().then(() => {
      this.#isFilled = true;
      logger.info(
        { pools: this.#pools.served.size, leases: this.#leases.size },
        'serving the leases of the API server',
      );
    });
    const waited = new AbortController();
    await Promise.race([synced, sleep(clock, API_PATIENCE, AbortSignal.any([signal, waited.signal]))]);
    waited.abort();
    if (!this.#isFilled && !signal.aborted && this.#snapshots.restore()) this.#isFilled = true;
    if (!this.#isFilled) await Promise.race([synced, aborted(signal)]);
  }

  /** Keeps sockets bound to this agent's addresses in the pools. */
  async #serve(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      const changed = new AbortController();
      this.#wake = () => {
        changed.abort();
      };
      let bound = false;
      try {
        this.#missing = await this.#endpoint.serve(this.#pools.addresses);
        bound = true;
      } catch (error) {
        this.#sampled.line('bind', () => {
          logger.error({ err: error }, 'a server address cannot be bound; trying again');
        });
      }
      this.#isBound = bound;
      const settled = bound && this.#missing.length === 0;
      const either = AbortSignal.any([signal, changed.signal]);
      if (settled) await aborted(either);
      else await sleep(clock, BIND_PERIOD, either);
    }
  }

  #bind(): DhcpEndpoint {
    const { events, neighbours, endpoint, now, logger } = this.#options;
    const poolOf = ({ pool }: { pool: string }) => this.#pools.pools.get(pool);
    const observer = observeDhcp({
      leases: this.#leases,
      pools: this.#pools,
      status: this.#status,
      conflicts: new AddressConflicts({
        neighbours,
        events,
        poolOf,
        onConfirmed: (record, by) => {
          this.#status.note(record, { is: 'declined', by });
        },
        sampled: this.#sampled,
        logger,
        signal: this.#ending.signal,
      }),
      rogues: new RogueServers({ events, sampled: this.#sampled, logger }),
      metrics: this.metrics,
      events,
      sampled: this.#sampled,
      logger,
    });
    return endpoint({
      server: timed(new DhcpServer({ store: this.#leases, observer }), this.metrics, now),
      now,
      onError: (error) => {
        this.metrics.failed();
        this.#sampled.line('socket', (held) => {
          logger.warn({ err: error, held }, 'an answer could not be sent');
        });
      },
      onBound: (inputs) => {
        logger.info(inputs, 'listening');
      },
    });
  }

  #gauges(): DhcpGauges {
    const { served } = this.#leases;
    const leases = new Map([...this.#pools.served.keys()].map((pool) => [pool, served.get(pool) ?? 0]));
    const available = [...this.#pools.served].flatMap(([key, { pool }]): [string, number][] => {
      const count = pool.status?.ipv4?.available;
      return count === undefined ? [] : [[key, count]];
    });
    return {
      leases,
      available: new Map(available),
      cacheAge: this.#cluster.age,
      isFresh: this.#cluster.isFresh,
      snapshotAge: this.#snapshots.age,
      backlog: this.#status.backlog,
    };
  }
}

/** The server with its processing time measured. */
function timed(server: DhcpHandler, metrics: DhcpMetrics, now: () => number): DhcpHandler {
  return {
    handle(datagram, origin, at) {
      const reply = server.handle(datagram, origin, at);
      metrics.took(now() - at);
      return reply;
    },
  };
}
