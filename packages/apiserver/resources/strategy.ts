import type { ApiObject } from '../objects.ts';
import type { FieldError, StatusError } from '../status.ts';

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
  /** What a client is to be warned of. */
  warnings?(object: ApiObject, previous: ApiObject | undefined): string[];
  /** Seconds between a delete request and the object's end; 0: at once. Absent: 0. */
  gracePeriod?(object: ApiObject, requested: number | undefined): number;
  /** For kinds without grace period and generation: what else a deletion's request changes. `now`: RFC 3339. */
  markDeleted?(object: ApiObject, now: string): void;
  /** Whether something beside `metadata.finalizers` still holds a deleted object. */
  isHeld?(object: ApiObject): boolean;
  /** Refuses a deletion. */
  refuseDelete?(object: ApiObject): StatusError | undefined;
}
