import type { Clock, Logger, Timer } from '@groundcrew/controller-runtime';
import { BmcJudge } from '../status/bmcs.ts';
import { evaluate } from '../status/evaluate.ts';
import type { Inputs } from '../status/inputs.ts';
import type { Overview } from '../status/overview.ts';
import { changeBetween, type OverviewChange } from '../status/overview-changes.ts';
import { RequestError } from './request-error.ts';

/** What a browser is told. */
export interface FeedListener {
  /** First, and again after the watches were stopped. */
  status(overview: Overview): void;
  change(change: OverviewChange): void;
  /** The API server does not answer, or does not know the user: what was told may be old. @param message why */
  lost(message: string): void;
  found(): void;
}

/** The part of LiveInputs that is used here. */
export interface Source {
  run(signal: AbortSignal): Promise<void>;
  readonly isComplete: boolean;
  readonly isConnected: boolean;
  readonly outage: string | undefined;
  takeChange(): boolean;
  read(): Inputs;
}

interface Running {
  readonly source: Source;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly judge: BmcJudge;
  overview?: Overview;
  outage?: string | undefined;
  /** Clock ms of the last evaluation. */
  evaluated: number;
}

/** Milliseconds between two looks at the source. */
const LOOK = 250;
/** Milliseconds between two evaluations after changes. */
const PACE = 1000;
/** Milliseconds after which the status is evaluated without a change: some problems come by the passing of time. */
const TICK = 15_000;
/** Milliseconds for which the watches stay without a listener. */
const LINGER = 60_000;
/** Milliseconds to wait for the first overview. */
const PATIENCE = 20_000;

/** Tells browsers the status and its changes. It watches the cluster only while a browser listens. */
export class FleetFeed {
  readonly #clock: Clock;
  readonly #open: () => Source;
  readonly #logger: Logger;
  readonly #listeners = new Set<FeedListener>();
  #running: Running | undefined;
  #timer: Timer | undefined;
  #linger: Timer | undefined;

  constructor(options: { clock: Clock; logger: Logger; source: () => Source }) {
    this.#clock = options.clock;
    this.#open = options.source;
    this.#logger = options.logger;
  }

  /** @returns ends the subscription */
  subscribe(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    const { overview, outage } = this.#start();
    if (overview !== undefined) listener.status(overview);
    if (outage !== undefined) listener.lost(outage);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0)
        this.#linger ??= this.#clock.setTimeout(() => void this.#halt(), LINGER);
    };
  }

  /**
   * The status, at most two seconds old.
   *
   * @throws RequestError 504
   */
  async overview(): Promise<Overview> {
    const { outage } = this.#start();
    if (outage !== undefined) throw new RequestError(504, outage);
    let end = (): void => undefined;
    let timer: Timer | undefined;
    try {
      return await new Promise<Overview>((resolve, reject) => {
        const fail = (message: string): void => {
          reject(new RequestError(504, message));
        };
        end = this.subscribe({ status: resolve, lost: fail, change: () => undefined, found: () => undefined });
        timer = this.#clock.setTimeout(() => {
          fail('The API server does not answer in time.');
        }, PATIENCE);
      });
    } finally {
      timer?.cancel();
      end();
    }
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#halt();
  }

  #start(): Running {
    this.#linger?.cancel();
    this.#linger = undefined;
    if (this.#running === undefined) {
      const source = this.#open();
      const stop = new AbortController();
      this.#running = { source, stop, ended: source.run(stop.signal), judge: new BmcJudge(), evaluated: -Infinity };
      this.#lookLater(this.#running);
    }
    return this.#running;
  }

  async #halt(): Promise<void> {
    this.#linger?.cancel();
    this.#linger = undefined;
    this.#timer?.cancel();
    const running = this.#running;
    this.#running = undefined;
    running?.stop.abort();
    await running?.ended;
  }

  #lookLater(running: Running): void {
    this.#timer = this.#clock.setTimeout(() => {
      try {
        this.#look(running);
      } catch (error) {
        // The sandbox must not end with its page.
        this.#logger.error({ err: error }, 'cannot evaluate the status');
      }
      if (this.#running === running) this.#lookLater(running);
    }, LOOK);
  }

  #look(running: Running): void {
    const { source } = running;
    this.#noticeOutage(running);
    if (running.outage !== undefined || !source.isComplete) return;
    const since = this.#clock.now() - running.evaluated;
    if (since >= TICK || (since >= PACE && source.takeChange())) this.#evaluate(running);
  }

  /** An outage begins when no watch is open, and ends when none fails: by then what came in between is known. */
  #noticeOutage(running: Running): void {
    const { outage, isConnected } = running.source;
    const isLost = running.outage !== undefined || !isConnected;
    if (outage !== undefined && outage !== running.outage && isLost) {
      running.outage = outage;
      this.#tell((listener) => {
        listener.lost(outage);
      });
    } else if (running.outage !== undefined && outage === undefined && isConnected) {
      running.outage = undefined;
      this.#tell((listener) => {
        listener.found();
      });
    }
  }

  #evaluate(running: Running): void {
    const { source, judge, overview: before } = running;
    source.takeChange();
    running.evaluated = this.#clock.now();
    const overview = evaluate(source.read(), judge);
    running.overview = overview;
    if (before === undefined) {
      this.#tell((listener) => {
        listener.status(overview);
      });
      return;
    }
    const change = changeBetween(before, overview);
    if (change === undefined) return;
    this.#tell((listener) => {
      listener.change(change);
    });
  }

  #tell(what: (listener: FeedListener) => void): void {
    for (const listener of [...this.#listeners]) what(listener);
  }
}
