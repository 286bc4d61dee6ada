import {
  isAsNew,
  keyOf,
  SECRETS,
  type Cache,
  type Clock,
  type Kind,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
  type Secret,
} from '@groundcrew/controller-runtime';
import { VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../api/index.ts';
import { Newest } from '../ipam/index.ts';
import type { Caches } from './caches.ts';
import { CHILD_KINDS, CHILD_NAMES, type ChildObjects } from './children/children.ts';

/** A BMC and what the manager makes for it. */
export interface Known extends ChildObjects {
  bmc: VirtualMachineBMC;
  certificate: Secret;
}

export type KnownName = keyof Known;

/**
 * BMCs and their children as the caches have them, and as this process has written them since. What neither knows counts as absent: the
 * create then tells whether another object has the name. Such names are remembered, and asked for.
 */
export class KnownObjects {
  readonly #kinds = new Map<KnownName, OfKind<KubeObject>>();

  constructor({ bmcs, children, certificates }: Pick<Caches, 'bmcs' | 'children' | 'certificates'>, clock: Clock) {
    const add = (name: KnownName, kind: Kind<KubeObject>, cache: Cache<KubeObject>): void => {
      this.#kinds.set(name, new OfKind(kind, cache, clock));
    };
    for (const name of CHILD_NAMES) add(name, CHILD_KINDS[name], children[name]);
    add('bmc', VIRTUAL_MACHINE_BMCS, bmcs);
    add('certificate', SECRETS, certificates);
  }

  /** @throws ApiError, TransportError if the name is another object's and the server does not answer */
  async find<K extends KnownName>(name: K, ref: ObjectRef, client: KubeClient): Promise<Known[K] | undefined> {
    return (await this.#of(name).find(ref, client)) as Known[K] | undefined; // the cache of that kind has such objects
  }

  /** Records the answer to a write. */
  note(name: KnownName, object: KubeObject): void {
    this.#of(name).note(object);
  }

  /** Records that an object has this name which the caches do not have. */
  occupied(name: KnownName, ref: ObjectRef): void {
    this.#of(name).occupied.add(keyOf(ref));
  }

  #of(name: KnownName): OfKind<KubeObject> {
    const found = this.#kinds.get(name);
    if (found === undefined) throw new TypeError(`no cache of ${name}`);
    return found;
  }
}

class OfKind<T extends KubeObject> {
  readonly occupied = new Set<string>();
  readonly #kind: Kind<T>;
  readonly #newest: Newest<T>;
  /** The last change that the cache has received. */
  #last: KubeObject | undefined;

  constructor(kind: Kind<T>, cache: Cache<T>, clock: Clock) {
    this.#kind = kind;
    this.#newest = new Newest(cache, clock);
    cache.subscribe(({ object }) => {
      if (this.#last === undefined || isAsNew(object, this.#last)) this.#last = object;
    });
  }

  async find(ref: ObjectRef, client: KubeClient): Promise<T | undefined> {
    const known = this.#newest.get(ref);
    const key = keyOf(ref);
    if (known !== undefined) this.occupied.delete(key);
    if (known !== undefined || !this.occupied.has(key)) return known;
    const found = await client.find(this.#kind, ref);
    if (found === undefined) this.occupied.delete(key);
    return found;
  }

  note(object: T): void {
    // The watch has told of this write and maybe of a deletion since: an answer may come later than that.
    const isOld = this.#last !== undefined && isAsNew(this.#last, object);
    if (!isOld) this.#newest.note(object);
  }
}
