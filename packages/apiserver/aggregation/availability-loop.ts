import type { Clock, Logger } from '@groundcrew/controller-runtime';
import { arrayOr, at, isObject, textOr } from '../json.ts';
import type { InternalWriter } from '../controllers/writers.ts';
import type { ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import type { Store } from '../store/index.ts';
import type { Aggregator } from './aggregator.ts';

const APISERVICES = 'apiregistration.k8s.io/apiservices';
const RETRY = 1000;
const RECHECK = 30_000;

interface Options {
  store: Store;
  clock: Clock;
  writer: InternalWriter;
  aggregator: Aggregator;
  resource: Resource;
  logger: Logger;
}

interface Verdict {
  status: 'True' | 'False';
  reason: string;
  message: string;
}

/** Checks the servers of APIServices and updates the Available conditions. */
export class AvailabilityLoop {
  readonly #options: Options;
  readonly #timers = new Map<string, { cancel(): void }>();
  readonly #running = new Set<string>();
  /** APIServices that changed during a check. Its result is outdated. */
  readonly #again = new Set<string>();
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** @returns a function that stops the loop */
  start(): () => void {
    const unsubscribe = this.#options.store.subscribe((collection, { type, current }) => {
      const { name } = current.object.metadata;
      if (collection === APISERVICES) {
        this.#timers.get(name)?.cancel();
        if (type !== 'DELETED') this.#checkSoon(name);
      } else if (collection === '/services') {
        for (const { object } of this.#options.store.collection(APISERVICES).values())
          this.#checkSoon(object.metadata.name);
      }
    });
    return () => {
      this.#stopped = true;
      unsubscribe();
      for (const timer of this.#timers.values()) timer.cancel();
    };
  }

  #checkSoon(name: string): void {
    if (this.#running.has(name)) this.#again.add(name);
    else this.#schedule(name, 0);
  }

  #schedule(name: string, delay: number): void {
    this.#timers.get(name)?.cancel();
    this.#timers.set(
      name,
      this.#options.clock.setTimeout(() => void this.#check(name), delay),
    );
  }

  async #check(name: string): Promise<void> {
    if (this.#running.has(name) || this.#stopped) return;
    this.#running.add(name);
    const before = this.#find(name);
    const verdict = before === undefined ? undefined : await this.#verdictOf(before);
    this.#running.delete(name);
    if (this.#again.delete(name)) {
      if (!this.#isStopped()) this.#schedule(name, 0);
      return;
    }
    const object = this.#find(name);
    if (object === undefined || verdict === undefined || this.#isStopped()) return;
    try {
      this.#write(object, verdict);
      this.#schedule(name, verdict.status === 'True' ? RECHECK : RETRY);
    } catch (error) {
      this.#options.logger.warn(
        { err: error, name },
        'cannot update the Available condition of an APIService; retrying',
      );
      this.#schedule(name, RETRY);
    }
  }

  /** Read again after an await: the loop may have been stopped in the meantime. */
  #isStopped(): boolean {
    return this.#stopped;
  }

  #find(name: string): ApiObject | undefined {
    return this.#options.store.collection(APISERVICES).get(name)?.object;
  }

  async #verdictOf(object: ApiObject): Promise<Verdict> {
    if (!isObject(at(object, 'spec', 'service')))
      return { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
    const backend = this.#options.aggregator.resolve(object);
    if ('problem' in backend) return { status: 'False', reason: backend.reason, message: backend.problem };
    const path = `/apis/${textOr(at(object, 'spec', 'group'))}/${textOr(at(object, 'spec', 'version'))}`;
    const problem = await this.#options.aggregator.probe(object, backend, path);
    if (problem === undefined) return { status: 'True', reason: 'Passed', message: 'all checks passed' };
    return {
      status: 'False',
      reason: 'FailedDiscoveryCheck',
      message: `failing or missing response from https://${backend.host}:${backend.port}${path}: ${problem}`,
    };
  }

  #write(object: ApiObject, verdict: Verdict): void {
    const { writer, resource } = this.#options;
    const conditions = arrayOr(at(object, 'status', 'conditions')).filter(isObject);
    const old = conditions.find(({ type }) => type === 'Available');
    if (old?.['status'] === verdict.status && old['reason'] === verdict.reason && old['message'] === verdict.message)
      return;
    const lastTransitionTime =
      old?.['status'] === verdict.status ? (old['lastTransitionTime'] ?? writer.now()) : writer.now();
    const condition = { type: 'Available', lastTransitionTime, ...verdict };
    writer.update(
      resource,
      object,
      (copy) => {
        copy['status'] = { conditions: [...conditions.filter(({ type }) => type !== 'Available'), condition] };
      },
      'status',
    );
  }
}
