import type { Clock, Logger } from '@groundcrew/controller-runtime';
import type { Tokens, User } from '../tokens.ts';
import type { Registry, Resource } from '../resources/index.ts';
import type { Schema } from '../schema/index.ts';
import { type Store, ViewedCollection, type Collection } from '../store/index.ts';
import type { JsonObject } from '../json.ts';

/** What the request handlers share. */
export interface ApiContext {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  /** In [0, 1). */
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

/** A write as admission sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: Pick<Resource, 'group' | 'version' | 'kind' | 'plural' | 'collection'>;
  readonly subresource: string | undefined;
  /** Of the object that is sent: the resource's own, but for subresources such as token. */
  readonly kind: GroupVersionKind;
  /** '' while it is still to be generated, and for a DELETE of a collection. */
  readonly name: string;
  /** '' for what is in none. A Namespace counts as in itself. */
  readonly namespace: string;
  readonly user: User;
  /** CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: JsonObject;
  readonly dryRun: boolean;
  /** Sentences for the answer's Warning headers; reviewers add to it. */
  readonly warnings: string[];
  /** Prunes and defaults an object that was changed, in place, as if it had been sent. Throws a StatusError. */
  readonly decode: (object: JsonObject) => void;
}

/** Finds the webhooks to call before a write is done. */
export interface Admission {
  /** Undefined if no webhook matches; the write is then done without an await. */
  reviewOf(request: AdmissionRequest): Review | undefined;
}

/** The review of one write. Both methods throw a StatusError where a webhook refuses, or cannot be called. */
export interface Review {
  /** The object as mutating webhooks have changed it; null for a DELETE, which has none. */
  mutate(object: JsonObject | null, old: JsonObject | null): Promise<JsonObject | null>;
  /** `object`: as it would be stored. */
  validate(object: JsonObject | null, old: JsonObject | null): Promise<void>;
}

/** The stored objects of a resource, as its version shows them. */
export function collectionOf(store: Store, { collection, view }: Resource): Collection | ViewedCollection {
  const stored = store.collection(collection);
  return view === undefined ? stored : new ViewedCollection(stored, view);
}
