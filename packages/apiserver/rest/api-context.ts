import type { Clock, Logger } from '@groundcrew/controller-runtime';
import type { Tokens, User } from '../tokens.ts';
import type { Registry, Resource } from '../resources/index.ts';
import type { Schema } from '../schema/index.ts';
import { type Store, ViewedCollection, type Collection } from '../store/index.ts';
import type { JsonObject } from '../json.ts';

/** The shared dependencies of the request handlers. */
export interface ApiContext {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly tokens: Tokens;
  readonly admission: Admission;
  readonly metadataSchema: Schema;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A write request, for admission. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: Pick<Resource, 'group' | 'version' | 'kind' | 'plural' | 'collection'>;
  readonly subresource: string | undefined;
  /** The kind of the sent object: that of the resource, except for subresources such as token. */
  readonly kind: GroupVersionKind;
  /** '' before the name is generated, and for a DELETE of a collection. */
  readonly name: string;
  /** '' for cluster-scoped objects. For a Namespace, its own name. */
  readonly namespace: string;
  readonly user: User;
  /** CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: JsonObject;
  readonly dryRun: boolean;
  /** Texts for the Warning headers of the response; admission adds to them. */
  readonly warnings: string[];
  /** Prunes and defaults an object after a patch, in place, like a request body. Throws a StatusError. */
  readonly decode: (object: JsonObject) => void;
}

/** Finds the webhooks for a write. */
export interface Admission {
  /** Undefined if no webhook matches; the write is then synchronous. */
  reviewOf(request: AdmissionRequest): Review | undefined;
}

/** The review of one write. Both methods throw a StatusError if a webhook denies the write, or the call fails. */
export interface Review {
  /** Calls the mutating webhooks. Returns the changed object; null for a DELETE. */
  mutate(object: JsonObject | null, old: JsonObject | null): Promise<JsonObject | null>;
  /** Calls the validating webhooks. `object`: as it will be stored. */
  validate(object: JsonObject | null, old: JsonObject | null): Promise<void>;
}

/** The stored objects of a resource, converted to its version. */
export function collectionOf(store: Store, { collection, view }: Resource): Collection | ViewedCollection {
  const stored = store.collection(collection);
  return view === undefined ? stored : new ViewedCollection(stored, view);
}
