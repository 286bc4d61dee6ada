import { clone, equal, isObject, type Json, type JsonObject } from '../json.ts';
import type { ApiObject, ManagedFieldsEntry } from '../objects.ts';
import type { Schema } from '../schema/index.ts';
import {
  ApplyConflict,
  type Conflict,
  managerKey,
  readManagers,
  writeManagers,
  type Manager,
  type Managers,
} from './managers.ts';
import { compare, type Comparison, fieldSetOf } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { merge, remove } from './merge.ts';
import { KeylessItemError } from './structure.ts';

/** Fields without owner: the server sets them, or they identify the object. */
const UNOWNED = [
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata', 'f:name'],
  ['f:metadata', 'f:namespace'],
  ['f:metadata', 'f:creationTimestamp'],
  ['f:metadata', 'f:selfLink'],
  ['f:metadata', 'f:uid'],
  ['f:metadata', 'f:generation'],
  ['f:metadata', 'f:managedFields'],
  ['f:metadata', 'f:resourceVersion'],
].reduce((set, path) => set.union(FieldSet.of(path)), FieldSet.empty);

/** The manager of the fields that an object without managedFields has at its first apply. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

export interface FieldManagerOptions {
  /** The fields that a write to the object or subresource does not change. */
  reset: (subresource: string | undefined) => FieldSet;
  /** The empty object of the kind. A new object's fields that equal it have no owner. */
  zero?: JsonObject;
}

/** Server-side apply and field ownership of a kind: structured-merge-diff with the list and map types of the schema. */
export class FieldManager {
  readonly #schema: Schema;
  readonly #reset: FieldManagerOptions['reset'];
  readonly #zero: JsonObject;

  constructor(schema: Schema, { reset, zero = {} }: FieldManagerOptions) {
    this.#schema = schema;
    this.#reset = reset;
    this.#zero = zero;
  }

  /**
   * The managedFields after an update by `manager`.
   *
   * @param previous undefined for a new object
   */
  update(previous: ApiObject | undefined, next: ApiObject, manager: Manager, now: string): ManagedFieldsEntry[] {
    const managers = readManagers(entriesFor(previous, next, manager));
    // The entries of another API group cannot be converted. managedFields becomes empty.
    if ([...managers.values()].some(({ apiVersion }) => groupOf(apiVersion) !== groupOf(next.apiVersion))) return [];
    // An existing object without managedFields gets none until its first apply.
    if (managers.size === 0 && previous !== undefined) return [];
    try {
      this.#update(previous, next, managers, manager, now);
    } catch (error) {
      // Validation reports this with a better message.
      if (error instanceof KeylessItemError) return [];
      throw error;
    }
    return writeManagers(managers);
  }

  /**
   * Applies `config` to `live`.
   *
   * @returns the new object with its managedFields
   * @throws ApplyConflict (409) if `config` changes a field of another manager and `force` is false
   * @throws KeylessItemError
   */
  apply(live: ApiObject, config: JsonObject, manager: Manager, force: boolean, now: string): ApiObject {
    const isUnrecorded = (live.metadata.managedFields ?? []).length === 0;
    const managers = readManagers(live.metadata.managedFields);
    if (isUnrecorded && live.metadata.uid !== undefined)
      this.#update(undefined, live, managers, { ...manager, manager: BEFORE_FIRST_APPLY, operation: 'Update' }, now);
    return this.#apply(live, config, managers, manager, force, now);
  }

  #update(previous: ApiObject | undefined, next: ApiObject, managers: Managers, manager: Manager, now: string): void {
    const { apiVersion, kind } = next;
    const before = previous === undefined ? { ...this.#zero, apiVersion, kind } : withoutManagedFields(previous);
    const changes = compare(before, withoutManagedFields(next), this.#schema);
    this.#removeOwnership(managers, changes, manager);
    const key = managerKey(manager);
    const mine = managers.get(key);
    const written = this.#owned(changes.modified.union(changes.added), manager);
    const set = (mine?.set ?? FieldSet.empty).minus(changes.removed).union(written);
    put(managers, key, manager, set, written.isEmpty ? mine?.time : now);
  }

  #apply(
    live: ApiObject,
    config: JsonObject,
    managers: Managers,
    manager: Manager,
    force: boolean,
    now: string,
  ): ApiObject {
    const key = managerKey(manager);
    const last = managers.get(key);
    const named = fieldSetOf(config, this.#schema).minusTrees(this.#reset(manager.subresource));
    const before = withoutManagedFields(live);
    const merged = merge(before, config, this.#schema) ?? null;
    put(managers, key, manager, named, last?.time);
    const next = last === undefined ? merged : this.#prune(merged, last.set, managers);
    const changes = this.#withoutResetFields(compare(before, next, this.#schema), manager);
    if (!force) refuseConflicts(managers, changes, key);
    this.#removeOwnership(managers, changes, manager);
    put(managers, key, manager, this.#owned(named, manager), equal(before, next) ? last?.time : now);
    // The result is an object because no manager owns the root.
    const result = next as ApiObject;
    result.metadata.managedFields = writeManagers(managers);
    return result;
  }

  /** Whether two lists of managedFields differ only in their times. */
  static same(a: ManagedFieldsEntry[] | undefined, b: ManagedFieldsEntry[] | undefined): boolean {
    const timeless = (entries: ManagedFieldsEntry[] | undefined) =>
      (entries ?? []).map(({ time: _time, ...rest }) => rest);
    return equal(timeless(a), timeless(b));
  }

  /** Removes from `merged` what this manager no longer applies and no other manager owns. */
  #prune(merged: Json, last: FieldSet, managers: Managers): Json {
    const pruned = remove(merged, last.withParents(), this.#schema);
    let owned = FieldSet.empty;
    for (const { set } of managers.values()) owned = owned.union(set);
    const all = fieldSetOf(merged, this.#schema).withParents();
    const kept = fieldSetOf(pruned, this.#schema).withParents();
    const restored = remove(merged, all.minus(kept.union(owned.withParents())), this.#schema);
    // Remove only fields of the last apply. Fields below them that are unowned or have other owners stay.
    const left = fieldSetOf(restored, this.#schema).withParents();
    return remove(merged, all.minus(left).intersection(last.withParents()), this.#schema);
  }

  #owned(set: FieldSet, manager: Manager): FieldSet {
    const own = set.minusTrees(UNOWNED).minusTrees(this.#reset(manager.subresource));
    const metadata = own.children.get('f:metadata');
    if (metadata?.self !== true) return own;
    const children = new Map(own.children);
    if (metadata.children.size === 0) children.delete('f:metadata');
    else children.set('f:metadata', new FieldSet(false, metadata.children));
    return new FieldSet(false, children);
  }

  #removeOwnership(managers: Managers, changes: Comparison, manager: Manager): void {
    const { added, modified, removed } = this.#withoutResetFields(changes, manager);
    const key = managerKey(manager);
    const lost = removed.union(modified).union(added);
    for (const [other, owned] of managers) {
      if (other === key) continue;
      const set = owned.set.minus(lost);
      if (set.isEmpty) managers.delete(other);
      else if (set !== owned.set) managers.set(other, { ...owned, set });
    }
  }

  /** Omits the fields that a write to this manager's subresource does not change. */
  #withoutResetFields({ added, modified, removed }: Comparison, { subresource }: Manager): Comparison {
    const reset = this.#reset(subresource);
    return {
      added: added.minusTrees(reset),
      modified: modified.minusTrees(reset),
      removed: removed.minusTrees(reset),
    };
  }
}

/**
 * The managedFields before an update. The client can replace them, except through a subresource: an empty list or an
 * empty entry clears them.
 */
function entriesFor(
  previous: ApiObject | undefined,
  next: ApiObject,
  { subresource }: Manager,
): ManagedFieldsEntry[] | undefined {
  const recorded = previous?.metadata.managedFields;
  const given = next.metadata.managedFields;
  if (subresource !== undefined || given === undefined) return recorded;
  const [first] = given;
  if (given.length === 0 || (given.length === 1 && first !== undefined && Object.keys(first).length === 0)) return [];
  return given.every(isReadable) ? given : recorded;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

function isReadable({ operation, apiVersion, fieldsType }: Partial<ManagedFieldsEntry>): boolean {
  return (operation === 'Apply' || operation === 'Update') && (apiVersion ?? '') !== '' && fieldsType === 'FieldsV1';
}

function put(managers: Managers, key: string, manager: Manager, set: FieldSet, time: string | undefined): void {
  if (set.isEmpty) managers.delete(key);
  else managers.set(key, { ...manager, set, time });
}

function refuseConflicts(managers: Managers, changes: Comparison, applier: string): void {
  const changed = changes.modified.union(changes.added);
  const conflicts: Conflict[] = [];
  for (const [key, owned] of managers) {
    if (key === applier) continue;
    const set = owned.set.intersection(changed);
    if (!set.isEmpty) conflicts.push({ owner: owned, set });
  }
  if (conflicts.length > 0) throw new ApplyConflict(conflicts);
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || metadata['managedFields'] === undefined) return clone(object);
  const { managedFields: _managedFields, ...rest } = metadata;
  return clone({ ...object, metadata: rest });
}
