import type { MessageType, Outcome } from '../../protocols/dhcp/index.ts';
import { CONTENT_TYPE, exposition, type Family, type Sample } from './exposition.ts';

/** What is read when the metrics are; ages in ms. */
export interface DhcpGauges {
  /** Leases that are served, by pool. */
  leases: ReadonlyMap<string, number>;
  /** Addresses that can still be leased, by pool, as the manager counted them. */
  available: ReadonlyMap<string, number>;
  /** Undefined: nothing was heard yet. */
  cacheAge: number | undefined;
  isFresh: boolean;
  /** Undefined: there is none on disk. */
  snapshotAge: number | undefined;
  /** Leases whose status waits to be written. */
  backlog: number;
  /** Bytes. */
  residentMemory: number;
  /** Seconds of processor time. */
  cpu: number;
}

/** The agent's metrics. On the path of packets there are plain numbers; text is made of them when somebody asks. */
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

  /** A datagram was handled. */
  handled(type: MessageType, outcome: Outcome): void {
    this.#packets.add(type, outcome);
  }

  /** That took so long. */
  took(milliseconds: number): void {
    this.#latency.observe(milliseconds / 1000);
  }

  otherServer(): void {
    this.#otherServers += 1;
  }

  /** A fault of the server, or of a socket. */
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
        help: 'Datagrams by message type and by what came of them',
        type: 'counter',
        samples: [...this.#packets].map(({ type, outcome, count }) => ({ labels: { type, outcome }, value: count })),
      },
      {
        name: 'groundcrew_dhcp_handling_seconds',
        help: 'Time from a datagram to the answer, without the sockets',
        type: 'histogram',
        samples: [...buckets, { suffix: '_sum', value: sum }, { suffix: '_count', value: total }],
      },
      counter(
        'groundcrew_dhcp_other_server_total',
        'Requests of our clients that named a server which is none of ours',
        this.#otherServers,
      ),
      counter('groundcrew_dhcp_errors_total', 'Faults of the server and of its sockets', this.#errors),
    ];
  }

  #gauges(): Family[] {
    const { leases, available, cacheAge, isFresh, snapshotAge, backlog, residentMemory, cpu } = this.#read();
    const seconds = (milliseconds: number | undefined) => (milliseconds === undefined ? NaN : milliseconds / 1000);
    return [
      {
        name: 'groundcrew_dhcp_leases',
        help: 'Leases that are served, by pool',
        type: 'gauge',
        samples: byPool(leases),
      },
      {
        name: 'groundcrew_dhcp_pool_available_addresses',
        help: 'Addresses that can still be leased, by pool, as the manager last counted them',
        type: 'gauge',
        samples: byPool(available),
      },
      gauge(
        'groundcrew_dhcp_cache_age_seconds',
        'Since the API server was last heard; NaN: not yet',
        seconds(cacheAge),
      ),
      gauge(
        'groundcrew_dhcp_cache_fresh',
        '1: the cache is current, and what it has not may be refused',
        isFresh ? 1 : 0,
      ),
      gauge(
        'groundcrew_dhcp_snapshot_age_seconds',
        'Since the snapshot on disk was taken; NaN: there is none',
        seconds(snapshotAge),
      ),
      gauge('groundcrew_dhcp_status_backlog', 'Leases whose status waits to be written', backlog),
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

/** Times counted in buckets: a dozen comparisons and two additions for each. */
class Latency {
  readonly bounds: readonly number[] = BOUNDS;
  /** How many fell into each bucket, and at the end those that fell into none. */
  readonly counts = new Float64Array(BOUNDS.length + 1);
  sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

/** Datagrams by what they were and what came of them. */
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
