import type { MessageType, Outcome } from '../../protocols/dhcp/index.ts';
import { CONTENT_TYPE, exposition, type Family, type Sample } from './exposition.ts';

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
  /** Bytes. */
  residentMemory: number;
  /** Seconds of processor time. */
  cpu: number;
}

/** The agent's metrics. The packet path only updates numbers; the text is created on request. */
export class DhcpMetrics {
  readonly contentType = CONTENT_TYPE;
  readonly #read: () => DhcpGauges;
  readonly #packets = new PacketCounts();
  readonly #latency = new Latency();
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

  text(): Promise<string> {
    return Promise.resolve(exposition([...this.#counted(), ...this.#gauges()]));
  }

  #counted(): Family[] {
    const { bounds, counts, sum } = this.#latency;
    let total = 0;
    const buckets = [...counts].map((count, index) => {
      total += count;
      return {
        suffix: '_bucket',
        labels: { le: index < bounds.length ? String(bounds[index]) : '+Inf' },
        value: total,
      };
    });
    return [
      {
        name: 'groundcrew_dhcp_packets_total',
        help: 'Datagrams by message type and outcome',
        type: 'counter',
        samples: [...this.#packets].map(({ type, outcome, count }) => ({ labels: { type, outcome }, value: count })),
      },
      {
        name: 'groundcrew_dhcp_handling_seconds',
        help: 'Processing time of a datagram, without the sockets',
        type: 'histogram',
        samples: [...buckets, { suffix: '_sum', value: sum }, { suffix: '_count', value: total }],
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
    const { leases, available, cacheAge, isFresh, snapshotAge, backlog, residentMemory, cpu } = this.#read();
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
      gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', residentMemory),
      counter('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', cpu),
    ];
  }
}

function counter(name: string, help: string, value: number): Family {
  return { name, help, type: 'counter', samples: [{ value }] };
}

function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [{ value }] };
}

function byPool(values: ReadonlyMap<string, number>): Sample[] {
  return [...values].map(([pool, value]) => ({ labels: { pool }, value }));
}

/** Upper bounds, seconds. */
const BOUNDS = [25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 50e-3] as const;

/** Histogram of times. */
class Latency {
  readonly bounds: readonly number[] = BOUNDS;
  /** Count per bucket; the last one is above all bounds. */
  readonly counts = new Float64Array(BOUNDS.length + 1);
  sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

/** Datagrams by message type and outcome. */
class PacketCounts {
  readonly #counts = new Map<MessageType, Map<Outcome, { count: number }>>();

  add(type: MessageType, outcome: Outcome): void {
    const counter = this.#counts.get(type)?.get(outcome);
    if (counter === undefined) this.#begin(type, outcome);
    else counter.count += 1;
  }

  #begin(type: MessageType, outcome: Outcome): void {
    const outcomes = this.#counts.get(type) ?? new Map<Outcome, { count: number }>();
    outcomes.set(outcome, { count: 1 });
    this.#counts.set(type, outcomes);
  }

  *[Symbol.iterator](): Generator<{ type: MessageType; outcome: Outcome; count: number }> {
    for (const [type, outcomes] of this.#counts) {
      for (const [outcome, { count }] of outcomes) yield { type, outcome, count };
    }
  }
}
