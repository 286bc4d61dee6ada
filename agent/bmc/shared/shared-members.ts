import {
  certificateSecretName,
  credentialsSecretName,
  readMember,
  sharedAgentPorts,
  type SharedAgentMember,
  stateSecretName,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import {
  CachedWatch,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
  type ObjectRef,
  type Secret,
  SECRETS,
  type Source,
} from '@groundcrew/controller-runtime';
import type { BmcPlace, Members } from '../bmc-set.ts';
import type { ObjectWatch, ObjectWatches } from '../objects/named-watches.ts';
import { Slots } from '../objects/slots.ts';
import type { RequestTraces } from '../request-traces.ts';
import { Contention } from '../servers/contention.ts';
import { ProcessorShare } from '../servers/processor-share.ts';
import { CopiedCredentials } from './copied-credentials.ts';
import { FetchedObject } from './fetched-object.ts';

export interface SharedMembersOptions {
  client: KubeClient;
  /** What a BMC sends its requests with. */
  bmcClient: KubeClient;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  traces: Pick<RequestTraces, 'current'>;
  namespace: string;
  /** Name of the shared agent, and of its Secret. */
  name: string;
  /** Of the kinds that the agent watches. */
  watches: ObjectWatches;
  clock: Clock;
  /** Returns a number from [0, 1). */
  random?: () => number;
  logger: Logger;
}

/** Requests of one BMC at the same time, for its clients and as many for itself: the others must reach the API server too. */
const CALLS = 4;
/** Reads of single objects at the same time: after a start in a storm, each takes a quarter of a second. */
const READS = 64;

/**
 * The BMCs of a shared agent with their slots and credentials, as its Secret lists them. A change of one entry concerns only
 * its BMC.
 */
export class SharedMembers implements Members {
  readonly #options: SharedMembersOptions;
  readonly #cache: CachedWatch<Secret>;
  readonly #entries = new Map<string, { text: string; member: SharedAgentMember }>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #enqueues = new Set<(ref: ObjectRef) => void>();
  readonly #slots = new Slots(READS);
  readonly #contention: Contention;

  constructor(options: SharedMembersOptions) {
    const { client, namespace, name, clock, logger } = options;
    this.#options = options;
    this.#contention = new Contention(options.now);
    const fieldSelector = `metadata.name=${name}`;
    this.#cache = new CachedWatch({ client, kind: SECRETS, namespace, fieldSelector, clock, logger });
    this.#cache.subscribe((change) => {
      // A Secret that was deleted by mistake must not end the BMCs: the manager writes it again.
      if (change.type === 'deleted' || change.object.metadata.name !== name) return;
      this.#follow(change.object.data ?? {});
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#cache.run(signal);
  }

  /** Resolves when the Secret is read. @throws the reason of `signal` */
  async synced(signal: AbortSignal): Promise<void> {
    await this.#cache.synced(signal);
  }

  get hasSynced(): boolean {
    return this.#cache.hasSynced;
  }

  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  get size(): number {
    return this.#entries.size;
  }

  readonly changes: Source = {
    start: (enqueue) => {
      this.#enqueues.add(enqueue);
      return () => this.#enqueues.delete(enqueue);
    },
  };

  placeOf({ metadata, status }: VirtualMachineBMC): BmcPlace | undefined {
    const { name: bmc, uid } = metadata;
    const member = this.#entries.get(bmc)?.member;
    // Of a BMC of that name that was deleted.
    if (member?.uid !== uid || member === undefined) return undefined;
    const { ipmi, redfish, redfishHttp } = sharedAgentPorts(member.slot);
    // Another agent may serve it still.
    const readsAgain = status?.agent !== undefined;
    const watches: ObjectWatches = {
      watch: (kind, name, onChange) => this.#watch(bmc, kind, name, onChange, readsAgain),
    };
    return { ipmiPort: ipmi, redfishPort: redfish, redfishHttpPort: redfishHttp, watches, own: this.#own };
  }

  readonly #own = (): ReturnType<NonNullable<BmcPlace['own']>> => {
    const { bmcClient, now, clock, traces } = this.#options;
    const [forClients, forItself] = [new Slots(CALLS), new Slots(CALLS)];
    return {
      client: bmcClient.queued((request, { signal }) =>
        (traces.current === undefined ? forItself : forClients).run(request, { signal }),
      ),
      share: new ProcessorShare({ now, clock, contention: this.#contention }),
    };
  };

  #watch<T extends KubeObject>(
    bmc: string,
    kind: Kind<T>,
    name: string,
    onChange: () => void,
    readsAgain: boolean,
  ): ObjectWatch<T> {
    if (kind.group !== '') return this.#options.watches.watch(kind, name, onChange);
    if (kind.kind === SECRETS.kind) {
      if (name === certificateSecretName(bmc)) return this.#certificate(bmc, kind, name, onChange);
      // All others are the credentials.
      if (name !== stateSecretName(bmc)) return this.#credentials(bmc, name, onChange) as unknown as ObjectWatch<T>;
    }
    return this.#fetched(kind, name, onChange, readsAgain);
  }

  #fetched<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    onChange: () => void,
    readsAgain: boolean,
  ): FetchedObject<T> {
    const { client, namespace, clock, random = Math.random } = this.#options;
    const isUrgent = kind.kind === SECRETS.kind;
    const ways = { slots: this.#slots, clock, random };
    return new FetchedObject({ client, kind, namespace, name, isUrgent, readsAgain, onChange, ...ways });
  }

  /** Read when the entry names another version. */
  #certificate<T extends KubeObject>(bmc: string, kind: Kind<T>, name: string, onChange: () => void): ObjectWatch<T> {
    const version = (): string | undefined => this.#entries.get(bmc)?.member.certificate;
    let known: string | undefined;
    let fetched: FetchedObject<T> | undefined;
    const follow = (): void => {
      if (version() === known) return;
      known = version();
      if (fetched === undefined) fetched = this.#fetched(kind, name, onChange, false);
      else fetched.again();
    };
    const end = this.#subscribe(bmc, follow);
    follow();
    return {
      get object() {
        return fetched?.object;
      },
      get hasSettled() {
        return fetched?.hasSettled ?? true;
      },
      isFresh: true,
      refresh: () => Promise.resolve(),
      stop: () => {
        end();
        fetched?.stop();
      },
    };
  }

  #credentials(bmc: string, name: string, onChange: () => void): ObjectWatch<Secret> {
    const { namespace } = this.#options;
    const entry = (): SharedAgentMember['credentials'] => {
      const { credentials } = this.#entries.get(bmc)?.member ?? {};
      return credentials?.name === name ? credentials : undefined;
    };
    const copy = (): Secret | undefined => {
      const { uid, resourceVersion, data } = entry() ?? {};
      if (data === undefined) return undefined;
      return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name, uid, resourceVersion }, data };
    };
    const withheld = (): string | undefined => {
      const known = entry();
      return known === undefined || known.data !== undefined
        ? undefined
        : `the credentials in Secret ${name} are too long for a shared agent: shorten them, or set spec.placement: Dedicated`;
    };
    const isMade = name === credentialsSecretName(bmc);
    const original = isMade ? this.#fetched(SECRETS, name, onChange, false) : undefined;
    const stop = this.#subscribe(bmc, () => {
      credentials.follow();
      onChange();
    });
    const credentials = new CopiedCredentials({ copy, withheld, original, stop });
    return credentials;
  }

  #subscribe(bmc: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(bmc) ?? new Set();
    this.#listeners.set(bmc, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(bmc);
    };
  }

  #follow(data: Readonly<Record<string, string>>): void {
    const changed = [...this.#entries.keys()].filter((name) => !Object.hasOwn(data, name));
    for (const name of changed) this.#entries.delete(name);
    for (const [name, encoded] of Object.entries(data)) {
      const text = Buffer.from(encoded, 'base64').toString('utf8');
      if (this.#entries.get(name)?.text === text) continue;
      const member = readMember(text);
      if (member === undefined) {
        this.#options.logger.warn({ bmc: name }, 'the entry of a BMC in the Secret of the agent is unreadable');
        this.#entries.delete(name);
      } else this.#entries.set(name, { text, member });
      changed.push(name);
    }
    const { namespace } = this.#options;
    for (const name of changed) {
      for (const listener of this.#listeners.get(name) ?? []) listener();
      for (const enqueue of this.#enqueues) enqueue({ namespace, name });
    }
  }
}
