import { VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../../api/index.ts';
import { CachedWatch, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import { WATCHED_KINDS } from '../kubevirt/index.ts';
import {
  type NamedWatchesOptions,
  ObjectInCache,
  type ObjectWatch,
  type ObjectWatches,
} from '../objects/named-watches.ts';

/** The objects of one kind are much alike. Those of the BMCs that have clients now are read all the time. */
const PACKED = { pack: textsOf, unpacked: 8 };

/** `kubectl apply` keeps a copy of the whole object here. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The objects of a namespace by one watch for each kind, however many BMCs read them. */
export class NamespaceWatches implements ObjectWatches {
  readonly #options: NamedWatchesOptions;
  readonly bmcs: CachedWatch<VirtualMachineBMC>;
  readonly #kinds: ReadonlyMap<string, OneKind<KubeObject>>;

  constructor(options: NamedWatchesOptions) {
    const { namespace } = options;
    this.#options = options;
    this.bmcs = new CachedWatch({ ...options, ...PACKED, kind: VIRTUAL_MACHINE_BMCS, namespace });
    this.#kinds = new Map(WATCHED_KINDS.map((kind) => [kind.kind, new OneKind(kind, options)]));
  }

  /** Runs until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#caches.map((cache) => cache.run(signal)));
  }

  /** Resolves when all kinds are read, or unknown to the server. @throws the reason of `signal` */
  async settled(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#caches.map((cache) => cache.settled(signal)));
  }

  /** Which kinds are not read yet; undefined if all are. */
  get missing(): string | undefined {
    const missing = this.#caches.filter((cache) => !cache.hasSynced && !cache.absent);
    return missing.length === 0 ? undefined : missing.map(({ kind }) => kind.plural).join(', ');
  }

  /** @throws TypeError for a kind that the agent does not watch */
  watch<T extends KubeObject>(kind: Kind<T>, name: string, onChange: () => void): ObjectWatch<T> {
    const one = this.#kinds.get(kind.kind);
    if (one === undefined) throw new TypeError(`a shared agent watches no ${kind.plural}`);
    const { namespace, clock } = this.#options;
    const stop = one.subscribe(name, onChange);
    // The map has each kind under its name.
    return new ObjectInCache(one.cache as unknown as CachedWatch<T>, { namespace, name }, clock, stop);
  }

  get #caches(): CachedWatch<KubeObject>[] {
    return [this.bmcs as unknown as CachedWatch<KubeObject>, ...[...this.#kinds.values()].map(({ cache }) => cache)];
  }
}

/** The watch of one kind, and who wants to know of which object. */
class OneKind<T extends KubeObject> {
  readonly cache: CachedWatch<T>;
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(kind: Kind<T>, options: NamedWatchesOptions) {
    this.cache = new CachedWatch<T>({ ...options, ...PACKED, kind, transform: trimmed });
    this.cache.subscribe(({ object }) => {
      for (const listener of this.#listeners.get(object.metadata.name) ?? []) listener();
    });
  }

  subscribe(name: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(name);
    };
  }
}

/** Without what no reader needs. An object without annotations differs from one with none left, for patches that test it. */
function trimmed<T extends KubeObject>(object: T): T {
  const { annotations } = object.metadata;
  if (annotations === undefined || !(LAST_APPLIED in annotations)) return object;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  object.metadata.annotations = others;
  return object;
}

/** Texts by which a VMI differs from others, besides its name. */
function textsOf(object: KubeObject & { status?: object }): string[] {
  const { nodeName, selinuxContext }: { nodeName?: string; selinuxContext?: string } = object.status ?? {};
  return [nodeName, selinuxContext].filter((text) => text !== undefined);
}
