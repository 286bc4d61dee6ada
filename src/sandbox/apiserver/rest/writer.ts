import { randomUUID } from 'node:crypto';
import { FieldManager, KeylessItemError, type Manager } from '../apply/index.ts';
import { equal, isObject, type JsonObject } from '../json.ts';
import { keyOf, timestamp, type ApiObject, type ManagedFieldsEntry } from '../objects.ts';
import { apiVersionOf } from '../resources/index.ts';
import { fillZeroValue } from '../schema/index.ts';
import { alreadyExists, badRequest, forbidden, invalid, notFound, StatusError } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import { checkIdentity } from './check-identity.ts';
import { isolate } from './isolate.ts';
import { nameSuffix } from './name-suffix.ts';
import { validateMetadata } from './validate-metadata.ts';
import type { WriteRequest } from './write-request.ts';

const GC_FINALIZERS = ['foregroundDeletion', 'orphan', 'kubernetes'];
const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

/** Brings decoded objects into the store, by the rules that hold for all kinds. */
export class Writer {
  readonly #context: ApiContext;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** Stores a new object. `object` may be changed. Throws a StatusError. */
  create(request: WriteRequest, object: ApiObject, applied = false): ApiObject {
    const { resource } = request;
    const { store, clock } = this.#context;
    const { metadata } = object;
    this.#checkNamespace(request, object);
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '') {
      throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    this.#generateName(request, object);
    if (resource.hasStatus) delete object['status'];
    if (!applied) this.#trackFields(request, {}, object);
    if (resource.schema.properties?.['status']?.default !== undefined) object['status'] ??= {};
    for (const key of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink', 'generation'])
      Reflect.deleteProperty(metadata, key);
    Object.assign(metadata, {
      uid: randomUUID(),
      creationTimestamp: timestamp(clock.now()),
      ...(resource.hasGeneration ? { generation: 1 } : {}),
    });
    resource.strategy.prepareCreate?.(object);
    this.#validate(request, object, undefined);
    if (store.collection(resource.collection).get(keyOf(metadata)) !== undefined)
      throw alreadyExists(resource, metadata.name);
    return request.dryRun ? object : store.put(resource.collection, object).object;
  }

  /**
   * Stores a changed object, or removes it when that was its last finalizer. `next` may be changed. `applied`: its
   * managedFields are made already. Throws a StatusError.
   */
  update(request: WriteRequest, previous: ApiObject, next: ApiObject, applied = false): ApiObject {
    const { resource } = request;
    const { store } = this.#context;
    checkIdentity(request, previous, next);
    isolate(request, previous, next);
    if (!applied) this.#trackFields(request, previous, next);
    const { metadata } = next;
    metadata.resourceVersion = previous.metadata.resourceVersion ?? '';
    resource.strategy.prepareUpdate?.(next, previous);
    if (resource.hasGeneration && !equal(counted(previous, resource.hasStatus), counted(next, resource.hasStatus))) {
      metadata.generation = (previous.metadata.generation ?? 0) + 1;
    }
    this.#validate(request, next, previous);
    if (isSame(previous, next)) return previous;
    if (request.dryRun) return next;
    if (metadata.deletionTimestamp !== undefined && !isHeld(next, request)) {
      store.remove(resource.collection, next);
      return next;
    }
    return store.put(resource.collection, next).object;
  }

  #checkNamespace(request: WriteRequest, object: ApiObject): void {
    const { resource, namespace } = request;
    const { metadata } = object;
    if (!resource.namespaced) {
      delete metadata.namespace;
      return;
    }
    if (namespace === undefined) throw badRequest('an empty namespace may not be set during creation');
    metadata.namespace ??= namespace;
    if (metadata.namespace !== namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    const home = this.#context.store.collection('/namespaces').get(namespace)?.object;
    if (home === undefined) throw notFound({ group: '', kind: 'Namespace', plural: 'namespaces' }, namespace);
    if (home.metadata.deletionTimestamp !== undefined) {
      throw forbidden(
        resource,
        metadata.name,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
        [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      );
    }
  }

  #generateName({ resource }: WriteRequest, { metadata }: ApiObject): void {
    const { generateName } = metadata;
    const given = metadata.name as string | undefined; // a body may leave it out
    if (given !== undefined && given !== '') return;
    if (generateName === undefined) {
      const message = 'Required value: name or generateName is required';
      throw invalid(resource, '', [{ field: 'metadata.name', reason: 'FieldValueRequired', message }]);
    }
    const { store, random } = this.#context;
    // As kube-apiserver: eight attempts to hit a free name.
    for (let attempt = 0; attempt < 8; attempt += 1) {
      metadata.name = generateName.slice(0, 58) + nameSuffix(random);
      if (store.collection(resource.collection).get(keyOf(metadata)) === undefined) return;
    }
  }

  #trackFields(request: WriteRequest, previous: JsonObject, next: ApiObject): void {
    const { resource } = request;
    const isCreate = Object.keys(previous).length === 0;
    const live: JsonObject = isCreate ? { apiVersion: next.apiVersion, kind: next.kind } : previous;
    if (isCreate && !resource.custom) fillZeroValue(live, resource.schema);
    const given = next.metadata.managedFields;
    // `[]` or `[{}]` is a request to forget all owners.
    const isReset = given !== undefined && given.every((entry) => Object.keys(entry).length === 0);
    const before = isObject(previous['metadata']) ? (previous as ApiObject).metadata.managedFields : undefined;
    const entries = isReset && !isCreate ? [] : this.#updatedOwners(request, live, next, given ?? before ?? []);
    if (entries.length === 0) delete next.metadata.managedFields;
    else next.metadata.managedFields = entries;
  }

  #updatedOwners(
    request: WriteRequest,
    live: JsonObject,
    next: ApiObject,
    entries: ManagedFieldsEntry[],
  ): ManagedFieldsEntry[] {
    try {
      return request.resource.fieldManager.update(
        live,
        next,
        entries,
        managerOf(request, 'Update'),
        timestamp(this.#context.clock.now()),
      );
    } catch (error) {
      // Validation says it better; and an object that got by it keeps the owners that it has.
      if (error instanceof KeylessItemError) return entries;
      throw error;
    }
  }

  #validate({ resource, warnings }: WriteRequest, object: ApiObject, previous: ApiObject | undefined): void {
    for (const name of object.metadata.finalizers ?? []) {
      if (name.includes('/') || previous?.metadata.finalizers?.includes(name) === true || GC_FINALIZERS.includes(name))
        continue;
      warnings.push(
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
      );
    }
    const errors = [
      ...validateMetadata(object, previous, resource),
      ...resource.validate(object, previous),
      ...(resource.strategy.validate?.(object, previous) ?? []),
    ];
    if (errors.length > 0) throw invalid(resource, object.metadata.name, errors);
    if (JSON.stringify(object).length > MAX_OBJECT_BYTES)
      throw new StatusError(500, '', 'etcdserver: request is too large');
  }
}

/** The entry in managedFields of whoever sends the request. */
export function managerOf({ resource, manager, subresource }: WriteRequest, operation: Manager['operation']): Manager {
  return {
    manager,
    operation,
    apiVersion: apiVersionOf(resource),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** Whether something still holds a deleted object. */
export function isHeld(object: ApiObject, { resource }: Pick<WriteRequest, 'resource'>): boolean {
  if ((object.metadata.finalizers ?? []).length > 0) return true;
  if (resource.strategy.isHeld?.(object) === true) return true;
  // A deleted object that waits for its grace period ends when its keeper deletes it with none.
  return (object.metadata.deletionGracePeriodSeconds ?? 0) > 0;
}

/** What `metadata.generation` counts the changes of. */
function counted(object: ApiObject, hasStatus: boolean): JsonObject {
  const { metadata: _metadata, status, ...rest } = object;
  return hasStatus ? rest : { ...rest, status };
}

/** Equal but for the times in managedFields: nothing to write. */
function isSame(a: ApiObject, b: ApiObject): boolean {
  const { managedFields: mine, ...rest } = a.metadata;
  const { managedFields: theirs, ...others } = b.metadata;
  return equal({ ...a, metadata: rest }, { ...b, metadata: others }) && FieldManager.same(mine, theirs);
}
