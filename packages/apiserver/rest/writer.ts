import { randomUUID } from 'node:crypto';
import { FieldManager } from '../apply/field-manager.ts';
import type { Manager } from '../apply/managers.ts';
import { clone, equal, isObject, type JsonObject } from '../json.ts';
import { keyOf, timestamp, type ApiObject } from '../objects.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { zeroValue } from '../schema/index.ts';
import { alreadyExists, badRequest, forbidden, invalid, notFound, StatusError } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import { checkVersion, isolate } from './update-rules.ts';
import { wrongCustomKind } from './decode-object.ts';
import { validateMetadata } from './validate-metadata.ts';
import type { WriteRequest } from './call.ts';

/** Metadata that a create removes from the request. */
const SYSTEM_FIELDS = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'];
const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

/** Validates and stores decoded objects, by the rules of all kinds. */
export class Writer {
  readonly #context: ApiContext;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** Stores a new object. Changes `object`. `applied`: its managedFields are already set. Throws a StatusError. */
  create(request: WriteRequest, object: ApiObject, applied = false): ApiObject {
    this.draftCreate(request, object, applied);
    this.completeCreate(request, object);
    return this.storeCreate(request, object);
  }

  /** The first step of a create, in place, before mutating admission. Throws a StatusError. */
  draftCreate(request: WriteRequest, object: ApiObject, applied: boolean): void {
    const { metadata } = object;
    this.checkNamespace(request, object);
    for (const key of SYSTEM_FIELDS) Reflect.deleteProperty(metadata, key);
    if (applied) delete metadata.resourceVersion;
    else this.#trackFields(request, undefined, object);
  }

  /** The second step of a create, in place: sets the server's fields and validates. Throws a StatusError. */
  completeCreate(request: WriteRequest, object: ApiObject): void {
    const { resource } = request;
    const { metadata } = object;
    this.#generateName(request, object);
    if (resource.hasStatus) delete object['status'];
    const status = resource.schema.properties?.['status'];
    // Published schemas of built-in kinds have empty defaults, for Go's zero values.
    if (isObject(status?.default))
      object['status'] ??= Object.keys(status.default).length === 0 ? zeroValue(status) : clone(status.default);
    for (const key of SYSTEM_FIELDS) Reflect.deleteProperty(metadata, key);
    Object.assign(metadata, {
      uid: randomUUID(),
      creationTimestamp: timestamp(this.#context.clock.now()),
      ...(resource.hasGeneration ? { generation: 1 } : {}),
    });
    resource.strategy.prepareCreate?.(object);
    this.#validate(request, object, undefined);
  }

  /** The last step of a create. Throws 409 if the object exists. */
  storeCreate(request: WriteRequest, object: ApiObject): ApiObject {
    const { resource } = request;
    const { store } = this.#context;
    const { name, resourceVersion = '' } = object.metadata;
    if (!request.dryRun && /^\d*[1-9]\d*$/.test(resourceVersion))
      throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
    const present = store.collection(resource.collection).get(keyOf(object.metadata))?.object;
    if (present !== undefined) {
      const error = alreadyExists(resource, name);
      if (present.metadata.deletionTimestamp !== undefined) error.message = `object is being deleted: ${error.message}`;
      throw error;
    }
    return request.dryRun ? object : this.#put(resource, object);
  }

  /**
   * Stores a changed object, or removes a deleted one without finalizers. Changes `next`. `applied`: its managedFields
   * are already set. Throws a StatusError.
   */
  update(request: WriteRequest, previous: ApiObject, next: ApiObject, applied = false): ApiObject {
    this.draftUpdate(request, previous, next, applied);
    this.completeUpdate(request, previous, next);
    return this.storeUpdate(request, previous, next);
  }

  /** The first step of an update, in place, before mutating admission. Throws a StatusError. */
  draftUpdate(request: WriteRequest, previous: ApiObject, next: ApiObject, applied: boolean): void {
    if (!applied) this.#trackFields(request, previous, next);
    checkVersion(request, previous, next);
    isolate(request, previous, next);
  }

  /** The second step of an update, in place: sets the server's fields and validates. Throws a StatusError. */
  completeUpdate(request: WriteRequest, previous: ApiObject, next: ApiObject): void {
    const { resource } = request;
    const { metadata } = next;
    metadata.resourceVersion = previous.metadata.resourceVersion ?? '';
    resource.strategy.prepareUpdate?.(next, previous, request.subresource);
    if (resource.hasGeneration && isNewGeneration(request, previous, next))
      metadata.generation = (previous.metadata.generation ?? 0) + 1;
    this.#validate(request, next, previous);
  }

  /** The last step of an update. `previous`: the stored object. */
  storeUpdate(request: WriteRequest, previous: ApiObject, next: ApiObject): ApiObject {
    const { resource } = request;
    const { store } = this.#context;
    if (isSame(previous, next)) return previous;
    if (request.dryRun) return next;
    if (next.metadata.deletionTimestamp !== undefined && !isHeld(next, request)) {
      // The DELETED event has the last stored state, which still has the finalizers.
      store.remove(
        resource.collection,
        store.collection(resource.collection).get(keyOf(previous.metadata))?.object ?? previous,
      );
      return next;
    }
    return this.#put(resource, next);
  }

  #put({ collection, encode, view }: Resource, object: ApiObject): ApiObject {
    const stored = this.#context.store.put(collection, encode?.(object) ?? object);
    return (view?.(stored) ?? stored).object;
  }

  /** Sets a missing namespace. Throws if it is not that of the path, does not exist or is terminating. */
  checkNamespace(request: WriteRequest, object: ApiObject): void {
    const { resource, namespace } = request;
    const { metadata } = object;
    if (!resource.namespaced) {
      delete metadata.namespace;
      return;
    }
    if (namespace === undefined) throw badRequest('an empty namespace may not be set during creation');
    if ((metadata.namespace ?? '') === '') metadata.namespace = namespace;
    if (metadata.namespace !== namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    const found = this.#context.store.collection('/namespaces').get(namespace)?.object;
    if (found === undefined) throw notFound({ group: '', kind: 'Namespace', plural: 'namespaces' }, namespace);
    if (found.metadata.deletionTimestamp !== undefined) {
      const given = metadata.name as string | undefined; // a body may leave it out
      throw forbidden(
        resource,
        given ?? metadata.generateName ?? '',
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
    const { generateName = '' } = metadata;
    const given = metadata.name as string | undefined; // a body may leave it out
    if (given !== undefined && given !== '') return;
    if (generateName === '') return;
    const { store, random } = this.#context;
    // Like kube-apiserver: eight attempts to find a free name.
    for (let attempt = 0; attempt < 8; attempt += 1) {
      metadata.name = generateName.slice(0, 58) + nameSuffix(random);
      if (store.collection(resource.collection).get(keyOf(metadata)) === undefined) return;
    }
  }

  #trackFields(request: WriteRequest, previous: ApiObject | undefined, next: ApiObject): void {
    const entries = request.resource.fieldManager.update(
      previous,
      next,
      managerOf(request, 'Update'),
      timestamp(this.#context.clock.now()),
    );
    if (entries.length === 0) delete next.metadata.managedFields;
    else next.metadata.managedFields = entries;
  }

  #validate(request: WriteRequest, object: ApiObject, previous: ApiObject | undefined): void {
    const { resource } = request;
    // A create validates the whole object.
    const subresource = previous === undefined ? undefined : request.subresource;
    const misnamed = resource.custom ? wrongCustomKind(object, resource) : undefined;
    if (misnamed !== undefined) throw misnamed;
    const errors = [
      ...validateMetadata(object, previous, resource),
      ...resource.validate(object, previous, subresource),
      ...(resource.strategy.validate?.(object, previous, subresource) ?? []),
    ];
    const name = object.metadata.name as string | undefined; // a body may leave it out
    if (errors.length > 0) throw invalid(resource, name ?? '', errors);
    if (JSON.stringify(object).length > MAX_OBJECT_BYTES)
      throw new StatusError(500, '', 'etcdserver: request is too large');
  }
}

/** The request's manager, as in managedFields. */
export function managerOf({ resource, manager, subresource }: WriteRequest, operation: Manager['operation']): Manager {
  return {
    manager,
    operation,
    apiVersion: apiVersionOf(resource),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** Whether finalizers, the strategy or a grace period prevent the removal of a deleted object. */
export function isHeld(object: ApiObject, { resource }: Pick<WriteRequest, 'resource'>): boolean {
  if ((object.metadata.finalizers ?? []).length > 0) return true;
  if (resource.strategy.isHeld?.(object) === true) return true;
  // The kubelet ends the grace period: it deletes the Pod again with 0 seconds.
  return (object.metadata.deletionGracePeriodSeconds ?? 0) > 0;
}

function isNewGeneration({ resource, subresource }: WriteRequest, previous: ApiObject, next: ApiObject): boolean {
  const { strategy, hasStatus } = resource;
  if (!equal(counted(previous, hasStatus), counted(next, hasStatus))) return true;
  return subresource === undefined && strategy.isNewGeneration?.(next, previous) === true;
}

/** The part of an object whose changes `metadata.generation` counts. */
function counted(object: ApiObject, hasStatus: boolean): JsonObject {
  const { metadata: _metadata, status, ...rest } = object;
  return hasStatus ? rest : { ...rest, status };
}

/** Equal except for the times in managedFields: nothing to write. */
function isSame(a: ApiObject, b: ApiObject): boolean {
  const { managedFields: mine, ...rest } = a.metadata;
  const { managedFields: theirs, ...others } = b.metadata;
  return equal({ ...a, metadata: rest }, { ...b, metadata: others }) && FieldManager.same(mine, theirs);
}

/** apimachinery's alphabet: no vowels, to avoid words, and no characters that look alike. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Five random characters, for `generateName`. */
export function nameSuffix(random: () => number): string {
  return Array.from({ length: 5 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)] ?? 'x').join('');
}
