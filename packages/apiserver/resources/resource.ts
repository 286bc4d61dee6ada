import type { FieldManager } from '../apply/field-manager.ts';
import type { JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Schema } from '../schema/index.ts';
import type { FieldError, StatusError } from '../status.ts';
import type { Stored } from '../store/index.ts';

/** A column of the Table that kubectl shows. */
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
  /** Name of its collection in the store; shared by the versions of a kind. */
  readonly collection: string;
  /** Of the whole object, `metadata` included. */
  readonly schema: Schema;
  readonly fieldManager: FieldManager;
  /** From a CustomResourceDefinition: other rules of decoding, validation and patching hold. */
  readonly custom: boolean;
  readonly hasStatus: boolean;
  /** `metadata.generation` counts changes of the spec. */
  readonly hasGeneration: boolean;
  /** A DELETE answers with the object in place of a Status. */
  readonly returnsDeleted: boolean;
  /** A PUT may come without resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /** A PUT of what is not there makes it. */
  readonly createsOnUpdate: boolean;
  readonly columns: readonly Column[];
  /** Field selectors beside metadata.name and metadata.namespace. */
  readonly selectableFields: Readonly<Record<string, (object: ApiObject) => string>>;
  readonly strategy: Strategy;
  /** Validates by schema and rules; strategies check what a schema cannot express. */
  readonly validate: (
    object: JsonObject,
    previous: JsonObject | undefined,
    subresource: string | undefined,
  ) => FieldError[];
  /** What this version shows of a stored object, where that is not what is stored. */
  readonly view?: (stored: Stored) => Stored;
  /** What is stored of an object of this version, where that is not the object itself. */
  readonly encode?: (object: ApiObject) => ApiObject;
}

/** `apiVersion` of the resource's objects. */
export function apiVersionOf(resource: { group: string; version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** What one kind does beyond what all do. Objects given may be changed in place. */
export interface Strategy {
  /** Fills in what Go's defaulting functions would, beyond the schema's defaults. Runs on each write. */
  setDefaults?(object: ApiObject): void;
  /** Decides a new object's server-chosen fields. May throw a StatusError. */
  prepareCreate?(object: ApiObject): void;
  /** Keeps or allocates an updated object's server-chosen fields. May throw a StatusError. */
  prepareUpdate?(object: ApiObject, previous: ApiObject, subresource: string | undefined): void;
  /** Keeps what a write of the status may not change beside the spec. */
  prepareStatusUpdate?(object: ApiObject, previous: ApiObject): void;
  /** What other changes than those of the spec `metadata.generation` counts. */
  isNewGeneration?(object: ApiObject, previous: ApiObject): boolean;
  validate?(object: ApiObject, previous: ApiObject | undefined, subresource: string | undefined): FieldError[];
  /** Seconds between a delete request and the object's end; 0: at once. Absent: 0. */
  gracePeriod?(object: ApiObject, requested: number | undefined): number;
  /** For kinds without grace period and generation: what else a deletion's request changes. `now`: RFC 3339. */
  markDeleted?(object: ApiObject, now: string): void;
  /** Whether something beside `metadata.finalizers` still holds a deleted object. */
  isHeld?(object: ApiObject): boolean;
  /** Refuses a deletion. */
  refuseDelete?(object: ApiObject): StatusError | undefined;
}
