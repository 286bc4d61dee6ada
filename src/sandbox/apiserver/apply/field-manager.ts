import { clone, equal, isObject, type Json, type JsonObject } from '../json.ts';
import type { ApiObject, ManagedFieldsEntry } from '../objects.ts';
import type { Schema } from '../schema/index.ts';
import { StatusError } from '../status.ts';
import { compare, type Comparison } from './compare.ts';
import { fieldSetOf } from './field-set-of.ts';
import { FieldSet } from './field-set.ts';
import { managerKey, readManagers, writeManagers, type Manager, type Managers, type Owned } from './managers.ts';
import { merge, remove } from './merge.ts';

/** The fields that nobody owns: the server sets them, or they say which object is meant. */
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
  ['f:metadata', 'f:deletionTimestamp'],
  ['f:metadata', 'f:deletionGracePeriodSeconds'],
].reduce((set, path) => set.union(FieldSet.of(path)), FieldSet.empty);

/**
 * Server-side apply and the tracking of who owns which field, for one kind: structured-merge-diff's algorithm over a
 * schema with Kubernetes' list and map types.
 */
export class FieldManager {
  readonly #schema: Schema;
  readonly #reset: (subresource: string | undefined) => FieldSet;

  /** `reset`: the fields that a write to the object, or to a subresource of it, does not touch. */
  constructor(schema: Schema, reset: (subresource: string | undefined) => FieldSet) {
    this.#schema = schema;
    this.#reset = reset;
  }

  /** The managedFields after `manager` has changed `live` into `next`. Throws KeylessItemError. */
  update(
    live: JsonObject,
    next: ApiObject,
    entries: ManagedFieldsEntry[] | undefined,
    manager: Manager,
    now: string,
  ): ManagedFieldsEntry[] {
    const managers = readManagers(entries);
    const changes = compare(bare(live), bare(next), this.#schema);
    this.#takeAway(managers, changes, manager);
    const key = managerKey(manager);
    const before = managers.get(key);
    const written = this.#owned(changes.modified.union(changes.added), manager);
    const set = (before?.set ?? FieldSet.empty).minus(changes.removed).union(written);
    put(managers, key, manager, set, written.isEmpty ? before?.time : now);
    return writeManagers(managers);
  }

  /**
   * `live` after `manager` has applied `config`, with its managedFields. Throws 409 when `config` sets to another value
   * what others own and `force` is not given, and KeylessItemError.
   */
  apply(live: ApiObject, config: JsonObject, manager: Manager, force: boolean, now: string): ApiObject {
    const managers = readManagers(live.metadata.managedFields);
    const key = managerKey(manager);
    const last = managers.get(key);
    const set = this.#owned(fieldSetOf(config, this.#schema), manager);
    const before = bare(live);
    const merged = merge(before, config, this.#schema);
    put(managers, key, manager, set, last?.time);
    const next = last === undefined ? merged : this.#prune(merged, last.set, managers);
    const changes = compare(before, next, this.#schema);
    if (!force) refuseConflicts(managers, changes, key);
    this.#takeAway(managers, changes, manager);
    const isChanged = !(changes.added.isEmpty && changes.modified.isEmpty && changes.removed.isEmpty);
    if (isChanged) put(managers, key, manager, set, now);
    // What was an object stays one: nothing owns the root.
    const result = next as ApiObject;
    result.metadata.managedFields = writeManagers(managers);
    return result;
  }

  /** Whether two lists of managedFields say the same but for their times. */
  static same(a: ManagedFieldsEntry[] | undefined, b: ManagedFieldsEntry[] | undefined): boolean {
    const timeless = (entries: ManagedFieldsEntry[] | undefined) =>
      (entries ?? []).map(({ time: _time, ...rest }) => rest);
    return equal(timeless(a), timeless(b));
  }

  /** Takes out of `merged` what this manager applied last time, does not any more, and nobody else owns. */
  #prune(merged: Json | undefined, last: FieldSet, managers: Managers): Json | undefined {
    const pruned = remove(merged, last.withParents(), this.#schema);
    let owned = FieldSet.empty;
    for (const { set } of managers.values()) owned = owned.union(set);
    const all = fieldSetOf(merged, this.#schema).withParents();
    const kept = fieldSetOf(pruned, this.#schema).withParents();
    const gone = all.minus(kept.union(owned.withParents()));
    // Only what this manager had named may go; what hangs below it belongs to someone or was there before.
    return remove(merged, gone.intersection(last.withParents()), this.#schema) ?? {};
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

  #takeAway(managers: Managers, changes: Comparison, manager: Manager): void {
    const key = managerKey(manager);
    const lost = changes.removed.union(changes.modified).union(changes.added);
    for (const [other, owned] of managers) {
      if (other === key) continue;
      const set = owned.set.minus(lost);
      if (set.isEmpty) managers.delete(other);
      else if (set !== owned.set) managers.set(other, { ...owned, set });
    }
  }
}

function put(managers: Managers, key: string, manager: Manager, set: FieldSet, time: string | undefined): void {
  if (set.isEmpty) managers.delete(key);
  else managers.set(key, { ...manager, set, time });
}

function refuseConflicts(managers: Managers, changes: Comparison, applier: string): void {
  const changed = changes.modified.union(changes.added);
  const conflicts: { who: string; paths: string[] }[] = [];
  for (const [key, owned] of managers) {
    if (key === applier) continue;
    const paths = owned.set.intersection(changed).paths();
    if (paths.length > 0) conflicts.push({ who: nameOf(owned), paths });
  }
  if (conflicts.length === 0) return;
  conflicts.sort((a, b) => (a.who < b.who ? -1 : 1));
  const causes = conflicts.flatMap(({ who, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  const [only] = causes;
  const text =
    causes.length === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${conflicts
          .map(({ who, paths }) => `conflicts with ${who}:\n${paths.map((path) => `- ${path}`).join('\n')}`)
          .join('\n')}`;
  throw new StatusError(409, 'Conflict', text, { causes });
}

function nameOf({ manager, operation, apiVersion, subresource }: Owned): string {
  const through = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${through}${operation === 'Apply' ? '' : ` using ${apiVersion}`}`;
}

/** The object without its managedFields. */
function bare(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || metadata['managedFields'] === undefined) return clone(object);
  const { managedFields: _managedFields, ...rest } = metadata;
  return clone({ ...object, metadata: rest });
}
