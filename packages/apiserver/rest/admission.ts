import type { User } from '../auth/index.ts';
import type { JsonObject } from '../json.ts';
import type { Resource } from '../resources/index.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A write as those see it who may change or refuse it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: Pick<Resource, 'group' | 'version' | 'kind' | 'plural' | 'collection'>;
  readonly subresource: string | undefined;
  /** Of the object that is sent: the resource's own, but for subresources such as scale. */
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

/** Knows who is to be asked before a write is done. */
export interface Admission {
  /** Undefined where nobody is: the write goes on at once. */
  reviewOf(request: AdmissionRequest): Review | undefined;
}

/** The opinions on one write. Both methods throw a StatusError where somebody refuses, or cannot be asked. */
export interface Review {
  /** What those who may change the object make of it; null for a DELETE, which nobody can change. */
  mutate(object: JsonObject | null, old: JsonObject | null): Promise<JsonObject | null>;
  /** `object`: as it would be stored. */
  validate(object: JsonObject | null, old: JsonObject | null): Promise<void>;
}
