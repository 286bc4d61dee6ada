import type { FieldManager } from '../apply/field-manager.ts';
import type { JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Schema } from '../schema/index.ts';
import type { FieldError, StatusError } from '../status.ts';
import type { Stored } from '../store/index.ts';

/** A column of the Table of a resource. */
export interface Column {
  name: string;
  type: string;
  format?: string;
  description?: string;
  /** 0: always shown; 1: with -o wide. */
  priority?: number;
  cell: (object: ApiObject, now: number) => unknown;
}

/** One served version of one kind. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** The name of its collection in the store; the versions of a kind share it. */
  readonly collection: string;
  /** The schema of the whole object, including `metadata`. */
  readonly schema: Schema;
  readonly fieldManager: FieldManager;
  /** From a CustomResourceDefinition. Decoding, validation and patches have different rules for these. */
  readonly custom: boolean;
  readonly hasStatus: boolean;
  /** `metadata.generation` counts changes of the spec. */
  readonly hasGeneration: boolean;
  /** DELETE returns the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** A PUT needs no resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /** A PUT creates an object that does not exist. */
  readonly createsOnUpdate: boolean;
  readonly columns: readonly Column[];
  /** Field labels besides metadata.name and metadata.namespace. */
  readonly selectableFields: Readonly<Record<string, (object: ApiObject) => string>>;
  readonly strategy: Strategy;
  /** Validates against the schema and its rules. `strategy.validate` checks what a schema cannot express. */
  readonly validate: (
    object: JsonObject,
    previous: JsonObject | undefined,
    subresource: string | undefined,
  ) => FieldError[];
  /** Converts a stored object to this version. Absent: no conversion. */
  readonly view?: (stored: Stored) => Stored;
  /** Converts an object of this version to the storage version. Absent: no conversion. */
  readonly encode?: (object: ApiObject) => ApiObject;
}

/** `apiVersion` of the resource's objects. */
export function apiVersionOf(resource: { group: string; version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The kind-specific behaviour of a resource. Methods can change the first argument in place. */
export interface Strategy {
  /** Sets the defaults of Go's defaulting functions that the schema does not have. Runs on each write. */
  setDefaults?(object: ApiObject): void;
  /** Sets the server-chosen fields of a new object. May throw a StatusError. */
  prepareCreate?(object: ApiObject): void;
  /** Keeps or sets the server-chosen fields of an updated object. May throw a StatusError. */
  prepareUpdate?(object: ApiObject, previous: ApiObject, subresource: string | undefined): void;
  /** Restores fields other than the spec that a write of the status cannot change. */
  prepareStatusUpdate?(object: ApiObject, previous: ApiObject): void;
  /** Whether a change outside the spec increments `metadata.generation`. */
  isNewGeneration?(object: ApiObject, previous: ApiObject): boolean;
  validate?(object: ApiObject, previous: ApiObject | undefined, subresource: string | undefined): FieldError[];
  /** Seconds between the delete request and the removal of the object; 0: immediately. Absent: 0. */
  gracePeriod?(object: ApiObject, requested: number | undefined): number;
  /** Marks an object as deleted, for kinds whose deletion a controller completes. `now`: RFC 3339. */
  markDeleted?(object: ApiObject, now: string): void;
  /** Whether something besides `metadata.finalizers` prevents the removal of a deleted object. */
  isHeld?(object: ApiObject): boolean;
  /** The error if the object cannot be deleted. */
  refuseDelete?(object: ApiObject): StatusError | undefined;
}
