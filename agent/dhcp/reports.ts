import type { Clock, EventRecorder, KubeObject, Logger } from '@groundcrew/controller-runtime';
import type { IPPool } from '../../api/index.ts';
import { macText } from './mac-number.ts';
import type { LeaseRecord } from './store/lease-record.ts';

export interface LeaseReportsOptions {
  events: EventRecorder;
  logger: Logger;
}

/** Maximum number of reports that are remembered to prevent duplicates. */
const MAX_REPORTED = 1000;

/** Reports invalid pools and leases in the log and as Events, once each. */
export class LeaseReports {
  readonly #options: LeaseReportsOptions;
  readonly #reported = new Set<string>();

  constructor(options: LeaseReportsOptions) {
    this.#options = options;
  }

  /** Several leases of one MAC address: only one is served. */
  duplicate(served: LeaseRecord, others: readonly LeaseRecord[]): void {
    for (const other of others) {
      const message = `${macText(other.macAddress)} has the older lease ${served.name}, which is served; this one is not`;
      this.#report(`${other.uid} ${served.uid}`, other.object, 'DuplicateMACAddress', message);
    }
  }

  invalid(record: LeaseRecord): void {
    const field = record.macAddress < 0 ? 'spec.macAddress' : 'spec.ipAddress';
    this.#report(record.uid, record.object, 'InvalidLease', `${field} is invalid; the lease is not served`);
  }

  /** Invalid parts of a pool. */
  problems(pool: IPPool, problems: readonly string[]): void {
    for (const problem of problems) {
      this.#report(`${pool.metadata.uid ?? ''} ${problem}`, pool, 'SettingIgnored', `${problem}; it is ignored`);
    }
  }

  #report(key: string, { apiVersion, kind, metadata }: KubeObject, reason: string, message: string): void {
    if (this.#reported.has(key)) return;
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.add(key);
    const { logger, events } = this.#options;
    logger.warn({ kind, object: `${metadata.namespace ?? ''}/${metadata.name}`, reason }, message);
    events.event({ apiVersion, kind, metadata }, 'Warning', reason, message);
  }
}

/** Minimum ms between two lines of one kind. */
const PERIOD = 10_000;

/** Logs at most one line of each kind in ten seconds, with the number of suppressed lines. */
export class SampledLog {
  readonly #clock: Clock;
  readonly #kinds = new Map<string, { since: number; held: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param kind one of a fixed set, never data of a packet */
  line(kind: string, write: (held: number) => void): void {
    const now = this.#clock.now();
    const last = this.#kinds.get(kind);
    if (last !== undefined && now - last.since < PERIOD) {
      last.held += 1;
      return;
    }
    this.#kinds.set(kind, { since: now, held: 0 });
    write(last?.held ?? 0);
  }
}
