import {
  ApiError,
  CachedWatch,
  type CachedWatchOptions,
  type Change,
  type Clock,
  type KubeClient,
  type Kind,
  type KubeObject,
  type Lease,
  type Logger,
  type Selection,
  sleep,
} from '@groundcrew/controller-runtime';
import { Gaps, serverTime, type Inputs } from '../status/inputs.ts';
import { probeWebhook, WEBHOOK_CONFIGURATIONS, type WebhookFact } from '../status/probe-webhook.ts';
import { OUR_WEBHOOKS, selections, type ObjectLists, type Scope, type Selections } from '../status/selections.ts';
import { kept } from './kept-fields.ts';

export interface LiveInputsOptions {
  client: KubeClient;
  scope: Scope;
  clock: Clock;
  logger: Logger;
}

type Keeping = Pick<CachedWatchOptions<KubeObject>, 'transform' | 'keepsManagedFields'>;

/** Milliseconds between two questions whether the webhooks are reached. */
const PROBE = 60_000;
/** Milliseconds between two looks whether they have changed. */
const LOOK = 250;

/** The objects of the status, kept current by watches. It is run once. */
export class LiveInputs {
  readonly #options: LiveInputsOptions;
  readonly #lists: ReadonlyMap<keyof ObjectLists, readonly CachedWatch<KubeObject>[]>;
  /** The lists that have not changed since they were read. */
  readonly #read = new Map<keyof ObjectLists, readonly KubeObject[]>();
  readonly #webhooks: CachedWatch<KubeObject>;
  readonly #watches: readonly CachedWatch<KubeObject>[];
  readonly #namespaces = new Map<CachedWatch<KubeObject>, string | undefined>();
  #facts: WebhookFact[] | undefined;
  /** Of the API server's clock before this one, milliseconds. */
  #ahead = 0;
  #isChanged = false;

  constructor(options: LiveInputsOptions) {
    this.#options = options;
    const { client, scope, clock, logger } = options;
    const watch = (kind: Kind<KubeObject>, selection: Selection, keeping: Keeping = {}): CachedWatch<KubeObject> => {
      const cache = new CachedWatch({ client, kind, ...selection, ...keeping, clock, logger });
      this.#namespaces.set(cache, selection.namespace);
      return cache;
    };
    this.#lists = new Map(
      entriesOf(selections(scope)).map(([name, { kind, parts }]) => [
        name,
        parts.map((part) =>
          watch(kind as Kind<KubeObject>, part, {
            transform: (object) => kept(name, object),
            // They tell when a spec was edited.
            keepsManagedFields: name === 'bmcs',
          }),
        ),
      ]),
    );
    this.#webhooks = watch(WEBHOOK_CONFIGURATIONS, OUR_WEBHOOKS);
    this.#watches = [...[...this.#lists.values()].flat(), this.#webhooks];
  }

  /** Runs until the signal is aborted. Never rejects: what cannot be read is in the inputs. */
  async run(signal: AbortSignal): Promise<void> {
    for (const [name, watches] of this.#lists)
      for (const watch of watches)
        watch.subscribe((change) => {
          this.#read.delete(name);
          if (name !== 'elections' || !isRenewal(change)) this.#isChanged = true;
        });
    this.#webhooks.subscribe(() => {
      this.#isChanged = true;
    });
    await Promise.all([
      this.#readClock(signal),
      this.#probe(signal),
      ...this.#watches.map((watch) => watch.run(signal)),
    ]);
  }

  /** Whether each list was read, or cannot be. */
  get isComplete(): boolean {
    return this.#facts !== undefined && this.#watches.every(isAnswered);
  }

  /** Whether anything has changed since the last call. Renewals of Leases do not count. */
  takeChange(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  /** Why the API server does not answer, or does not know the user; undefined if neither is so. */
  get outage(): string | undefined {
    const unknown = this.#find(isUnknownUser);
    if (unknown !== undefined)
      return `The API server refuses the credentials of the kubeconfig: ${unknown.serverMessage}`;
    const silent = this.#find(isSilent);
    return silent && `The API server does not answer: ${silent.message}`;
  }

  /** Whether a watch is open, and the user is known: open watches outlast the credentials. */
  get isConnected(): boolean {
    return this.#watches.some(({ openWatch }) => openWatch !== undefined) && this.#find(isUnknownUser) === undefined;
  }

  read(): Inputs {
    const gaps = new Gaps();
    for (const watch of this.#watches) {
      if (watch.failure !== undefined && (!watch.hasSynced || isRefusal(watch.failure)))
        gaps.add(watch.kind.kind, this.#namespaces.get(watch), watch.failure);
    }
    const lists = [...this.#lists].map(([name, parts]) => {
      const list = this.#read.get(name) ?? parts.flatMap((part) => part.list());
      this.#read.set(name, list);
      return [name, list] as const;
    });
    return {
      // The table of selections has the kind of each list.
      ...(Object.fromEntries(lists) as unknown as ObjectLists),
      now: this.#options.clock.now() + this.#ahead,
      webhooks: this.#facts ?? [],
      ...gaps.told(),
    };
  }

  /** The first failure of this sort. */
  #find<Sort extends Error>(is: (failure: Error | undefined) => failure is Sort): Sort | undefined {
    return this.#watches.map(({ failure }) => failure).find(is);
  }

  async #readClock(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    try {
      this.#ahead = (await serverTime(client, signal)) - clock.now();
    } catch {
      // The watches tell why.
    }
  }

  /** Asks the webhooks at the beginning, when they change, and now and then. */
  async #probe(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let known = '';
    let asked = -Infinity;
    while (!signal.aborted) {
      const versions = this.#webhooks.list().map(({ metadata }) => metadata.resourceVersion);
      const isDue = versions.join() !== known || clock.now() - asked >= PROBE;
      if (isAnswered(this.#webhooks) && isDue) {
        await this.#ask();
        known = versions.join();
        asked = clock.now();
      }
      await sleep(clock, LOOK, signal);
    }
  }

  async #ask(): Promise<void> {
    const { client, logger } = this.#options;
    try {
      this.#facts = await Promise.all(this.#webhooks.list().map((one) => probeWebhook(client, one)));
    } catch (error) {
      logger.debug({ err: error }, 'cannot ask the webhooks');
      this.#facts ??= [];
    }
    this.#isChanged = true;
  }
}

function entriesOf(all: Selections): [keyof ObjectLists, Selections[keyof ObjectLists]][] {
  return Object.entries(all) as [keyof ObjectLists, Selections[keyof ObjectLists]][]; // it has no others
}

function isAnswered(watch: CachedWatch<KubeObject>): boolean {
  return watch.hasSynced || watch.failure !== undefined;
}

function isSilent(error: Error | undefined): error is Error {
  return error !== undefined && (!(error instanceof ApiError) || error.status >= 500);
}

/** Credentials have expired. */
function isUnknownUser(error: Error | undefined): error is ApiError {
  return error instanceof ApiError && error.status === 401;
}

/** The right was taken away. */
function isRefusal(error: Error): boolean {
  return error instanceof ApiError && [403, 404].includes(error.status);
}

/** The leader renews its Lease every few seconds; that alone shows nothing new. */
function isRenewal(change: Change<Lease>): boolean {
  if (change.type !== 'modified') return false;
  const { object, previous } = change;
  return object.spec?.holderIdentity === previous.spec?.holderIdentity;
}
