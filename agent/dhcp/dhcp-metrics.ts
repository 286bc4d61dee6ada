import type { MessageType, Outcome } from '../../protocols/dhcp/index.ts';
import { counter, type Family, gauge, Histogram, PairCounts, type Sample } from '../process/index.ts';

/** Values that are read when the metrics are requested; ages in ms. */
export interface DhcpGauges {
  /** Served leases by pool. */
  leases: ReadonlyMap<string, number>;
  /** Available addresses by pool, as counted by the manager. */
  available: ReadonlyMap<string, number>;
  /** Undefined: no data from the API server yet. */
  cacheAge: number | undefined;
  isFresh: boolean;
  /** Undefined: no snapshot on disk. */
  snapshotAge: number | undefined;
  /** Leases with unwritten status. */
  backlog: number;
}

/** Upper bounds, seconds. */
const BOUNDS = [25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 50e-3] as const;

/** The agent's metrics. The packet path only updates numbers. */
export class DhcpMetrics {
  readonly #read: () => DhcpGauges;
  /** Datagrams by message type and outcome. */
  readonly #packets = new PairCounts<MessageType, Outcome>();
  readonly #latency = new Histogram(BOUNDS);
  #otherServers = 0;
  #errors = 0;

  constructor(read: () => DhcpGauges) {
    this.#read = read;
  }

  handled(type: MessageType, outcome: Outcome): void {
    this.#packets.add(type, outcome);
  }

  took(milliseconds: number): void {
    this.#latency.observe(milliseconds / 1000);
  }

  otherServer(): void {
    this.#otherServers += 1;
  }

  /** An error of the server or of a socket. */
  failed(): void {
    this.#errors += 1;
  }

  families(): Family[] {
    return [...this.#counted(), ...this.#gauges()];
  }

  #counted(): Family[] {
    return [
      {
        name: 'groundcrew_dhcp_packets_total',
        help: 'Datagrams by message type and outcome',
        type: 'counter',
        samples: [...this.#packets].map(([type, outcome, value]) => ({ labels: { type, outcome }, value })),
      },
      {
        name: 'groundcrew_dhcp_handling_seconds',
        help: 'Processing time of a datagram, without the sockets',
        type: 'histogram',
        samples: this.#latency.samples(),
      },
      counter(
        'groundcrew_dhcp_other_server_total',
        'Requests of known clients that named another DHCP server',
        this.#otherServers,
      ),
      counter('groundcrew_dhcp_errors_total', 'Errors of the server and its sockets', this.#errors),
    ];
  }

  #gauges(): Family[] {
    const { leases, available, cacheAge, isFresh, snapshotAge, backlog } = this.#read();
    const seconds = (milliseconds: number | undefined) => (milliseconds === undefined ? NaN : milliseconds / 1000);
    return [
      {
        name: 'groundcrew_dhcp_leases',
        help: 'Served leases by pool',
        type: 'gauge',
        samples: byPool(leases),
      },
      {
        name: 'groundcrew_dhcp_pool_available_addresses',
        help: 'Available addresses by pool, as last counted by the manager',
        type: 'gauge',
        samples: byPool(available),
      },
      gauge(
        'groundcrew_dhcp_cache_age_seconds',
        'Time since the last data from the API server; NaN: none yet',
        seconds(cacheAge),
      ),
      gauge(
        'groundcrew_dhcp_cache_fresh',
        '1: the cache is current, so addresses that it does not contain may be refused',
        isFresh ? 1 : 0,
      ),
      gauge(
        'groundcrew_dhcp_snapshot_age_seconds',
        'Age of the snapshot on disk; NaN: no snapshot',
        seconds(snapshotAge),
      ),
      gauge('groundcrew_dhcp_status_backlog', 'Leases with unwritten status', backlog),
    ];
  }
}

function byPool(values: ReadonlyMap<string, number>): Sample[] {
  return [...values].map(([pool, value]) => ({ labels: { pool }, value }));
}
