import { clone, isObject, textOr, type Json, type JsonObject } from '../json.ts';
import { timestamp, type ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { conflict, invalid, type FieldError } from '../status.ts';
import type { ApiContext } from './api-context.ts';
import { isHeld } from './writer.ts';

export interface DeleteRequest {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

/** DeleteOptions from the body, or from the query where there is none. Throws 422. */
export function parseDeleteOptions(body: Json | undefined, query: URLSearchParams): DeleteRequest {
  const options: JsonObject = isObject(body) ? body : Object.fromEntries(query);
  const preconditions = isObject(options['preconditions']) ? options['preconditions'] : {};
  const dryRun = Array.isArray(options['dryRun']) ? options['dryRun'] : query.getAll('dryRun');
  const orphans = options['orphanDependents'];
  const policy = options['propagationPolicy'] ?? (orphans === true || orphans === 'true' ? 'Orphan' : undefined);
  const grace = options['gracePeriodSeconds'];
  const errors: FieldError[] = [];
  if (dryRun.some((value) => value !== 'All')) {
    errors.push({
      field: 'dryRun',
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`,
    });
  }
  if (policy !== undefined && !POLICIES.includes(textOr(policy))) {
    errors.push({
      field: 'propagationPolicy',
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
    });
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  const text = (value: Json | undefined) => (typeof value === 'string' && value !== '' ? value : undefined);
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds:
      grace === undefined || grace === null || !Number.isInteger(Number(grace)) ? undefined : Number(grace),
    propagation: policy as DeleteRequest['propagation'], // one of POLICIES: checked above
    uid: text(preconditions['uid']),
    resourceVersion: text(preconditions['resourceVersion']),
  };
}

export interface Deletion {
  object: ApiObject;
  /** False while finalizers or a grace period keep it. */
  gone: boolean;
}

/** Deletes objects: at once, or by marking them until whoever holds them lets go. */
export class Remover {
  readonly #context: ApiContext;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** Throws a StatusError: a failed precondition, or a refusal of the kind's own. */
  delete(resource: Resource, current: ApiObject, request: DeleteRequest): Deletion {
    const { store } = this.#context;
    checkPreconditions(resource, current, request);
    const refusal = resource.strategy.refuseDelete?.(current);
    if (refusal !== undefined) throw refusal;
    const next = clone(current);
    addPropagation(next, request);
    this.#mark(resource, next, request);
    if (isHeld(next, { resource })) {
      const changed = JSON.stringify(next) !== JSON.stringify(current);
      return { object: changed && !request.dryRun ? store.put(resource.collection, next).object : next, gone: false };
    }
    // Watchers see the last state as it was, as long as the object was not on its way out before.
    const last = current.metadata.deletionTimestamp === undefined && !resource.returnsDeleted ? current : next;
    return { object: request.dryRun ? last : store.remove(resource.collection, last).object, gone: true };
  }

  /** Sets the time of the deletion; a second request may bring it forward, not put it off. */
  #mark({ strategy }: Resource, object: ApiObject, { gracePeriodSeconds }: DeleteRequest): void {
    const { metadata } = object;
    const grace = strategy.gracePeriod?.(object, gracePeriodSeconds) ?? 0;
    const before = metadata.deletionGracePeriodSeconds ?? 0;
    if (metadata.deletionTimestamp !== undefined && grace >= before) return;
    metadata.deletionTimestamp = timestamp(this.#context.clock.now() + grace * 1000);
    if (strategy.markDeleted === undefined) {
      metadata.deletionGracePeriodSeconds = grace;
      if (metadata.generation !== undefined) metadata.generation += 1;
    } else {
      strategy.markDeleted(object, metadata.deletionTimestamp);
    }
  }
}

function checkPreconditions(resource: Resource, current: ApiObject, { uid, resourceVersion }: DeleteRequest): void {
  const { metadata } = current;
  const named = { ...resource, plural: resource.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      named,
      metadata.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      named,
      metadata.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ''}). The object might have been modified`,
    );
  }
}

/** The garbage collector's finalizers say what is to become of the dependents; the last request's word counts. */
function addPropagation(object: ApiObject, { propagation }: DeleteRequest): void {
  if (propagation === undefined) return;
  const { metadata } = object;
  const others = (metadata.finalizers ?? []).filter((name) => name !== 'foregroundDeletion' && name !== 'orphan');
  if (propagation === 'Foreground') others.push('foregroundDeletion');
  if (propagation === 'Orphan') others.push('orphan');
  if (others.length > 0) metadata.finalizers = others;
  else delete metadata.finalizers;
}
