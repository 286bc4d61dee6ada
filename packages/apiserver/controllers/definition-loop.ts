import { acceptNames, isConditionTrue, withCondition, type Condition } from '../crds/accept-names.ts';
import { customResources } from '../crds/custom-resources.ts';
import { at, equal, objectOr, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Registry, Resource } from '../resources/index.ts';
import type { Schema } from '../schema/index.ts';
import type { Change, Store } from '../store/index.ts';
import type { InternalWriter } from './writers.ts';

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';
const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

interface Options {
  store: Store;
  registry: Registry;
  writer: InternalWriter;
  metadataSchema: Schema;
}

/** Accepts the names of CustomResourceDefinitions, serves their resources, and cleans up at their deletion. */
export class DefinitionLoop {
  readonly #options: Options;
  readonly #served = new Map<string, { form: string; resources: Resource[] }>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** @returns a function that stops the loop */
  start(): () => void {
    const { store } = this.#options;
    return store.subscribe((collection, change) => {
      if (collection === DEFINITIONS) this.#observe(change);
      else if (change.type === 'DELETED') this.#finishCleanup(collection);
    });
  }

  #observe({ type, current }: Change): void {
    const definition = current.object;
    if (type === 'DELETED') {
      this.#withdraw(definition.metadata.name);
      this.#reconsider(definition);
      return;
    }
    // A definition is served during its deletion, so that controllers can remove the finalizers of custom resources.
    this.#serve(definition);
    if (definition.metadata.deletionTimestamp !== undefined) this.#cleanUp(definition);
    else if (!this.#accept(definition)) this.#establish(definition);
  }

  #serve(definition: ApiObject): void {
    const { registry, metadataSchema } = this.#options;
    const { name } = definition.metadata;
    const isServed = isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, 'Established');
    const isEnding = isConditionTrue(definition, 'Terminating');
    const form = JSON.stringify([definition['spec'], at(definition, 'status', 'acceptedNames'), isServed, isEnding]);
    if (this.#served.get(name)?.form === form) return;
    this.#withdraw(name);
    const resources = isServed ? customResources(definition, metadataSchema) : [];
    for (const resource of resources) registry.add(resource);
    this.#served.set(name, { form, resources });
  }

  #withdraw(name: string): void {
    for (const resource of this.#served.get(name)?.resources ?? []) this.#options.registry.remove(resource);
    this.#served.delete(name);
  }

  /**
   * Accepts the names that are free.
   *
   * @returns whether the status has changed; the event of this change then continues the work
   */
  #accept(definition: ApiObject): boolean {
    const status = objectOr(definition['status']);
    if (equal(at(definition, 'spec', 'names'), status['acceptedNames'])) return false;
    const next = acceptNames(definition, this.#definitions(), this.#options.writer.now());
    if (equal(next, status)) return false;
    this.#writeStatus(definition, next);
    this.#reconsider(definition);
    return true;
  }

  #establish(definition: ApiObject): void {
    if (!isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, 'Established')) return;
    this.#setCondition(definition, {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    });
  }

  /** Checks the other definitions of the group again after names have changed. */
  #reconsider(changed: ApiObject): void {
    const group = at(changed, 'spec', 'group');
    for (const { metadata } of this.#definitions()) {
      const definition = this.#options.store.collection(DEFINITIONS).get(metadata.name)?.object;
      if (definition === undefined || metadata.name === changed.metadata.name) continue;
      if (definition.metadata.deletionTimestamp === undefined && at(definition, 'spec', 'group') === group)
        this.#accept(definition);
    }
  }

  #cleanUp(definition: ApiObject): void {
    const { writer, store } = this.#options;
    if (definition.metadata.finalizers?.includes(CLEANUP) !== true) return;
    const isBegun = conditionReason(definition) !== 'InstanceDeletionPending';
    if (!isBegun) {
      this.#setCondition(definition, {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionInProgress',
        message: 'CustomResource deletion is in progress',
      });
      return;
    }
    const isEstablished = isConditionTrue(definition, 'Established');
    const [resource] = this.#served.get(definition.metadata.name)?.resources ?? [];
    if (isEstablished && resource !== undefined) {
      for (const { object } of [...store.collection(resource.collection).values()]) {
        if (object.metadata.deletionTimestamp === undefined) writer.delete(resource, object);
      }
      if (store.collection(resource.collection).size > 0) return;
    }
    // The deletion of the last custom resource may already have removed the finalizer.
    if (store.collection(DEFINITIONS).get(definition.metadata.name)?.object === definition)
      this.#removeFinalizer(definition, isEstablished);
  }

  #removeFinalizer(definition: ApiObject, isEstablished: boolean): void {
    const { writer } = this.#options;
    const end: Condition = {
      type: 'Terminating',
      status: 'False',
      reason: isEstablished ? 'InstanceDeletionCompleted' : 'NeverEstablished',
      message: isEstablished ? 'removed all instances' : 'resource was never established',
    };
    writer.update(
      this.#resource(),
      definition,
      (copy) => {
        const { metadata } = copy;
        metadata.finalizers = metadata.finalizers?.filter((name) => name !== CLEANUP) ?? [];
        if (metadata.finalizers.length === 0) delete metadata.finalizers;
        copy['status'] = withCondition(objectOr(copy['status']), writer.now(), end);
      },
      'status',
    );
  }

  /** Completes the deletion of a definition after its last custom resource is deleted. */
  #finishCleanup(collection: string): void {
    const { store } = this.#options;
    for (const definition of this.#definitions()) {
      const own = `${textOr(at(definition, 'spec', 'group'))}/${textOr(at(definition, 'spec', 'names', 'plural'))}`;
      const isEnding = own === collection && definition.metadata.deletionTimestamp !== undefined;
      if (isEnding && store.collection(collection).size === 0) this.#cleanUp(definition);
    }
  }

  #setCondition(definition: ApiObject, condition: Condition): void {
    const status = objectOr(definition['status']);
    this.#writeStatus(definition, withCondition(status, this.#options.writer.now(), condition));
  }

  #writeStatus(definition: ApiObject, status: ApiObject['status']): void {
    this.#options.writer.update(
      this.#resource(),
      definition,
      (copy) => {
        copy['status'] = status;
      },
      'status',
    );
  }

  #definitions(): ApiObject[] {
    return [...this.#options.store.collection(DEFINITIONS).values()].map(({ object }) => object);
  }

  #resource(): Resource {
    const resource = this.#options.registry.ofCollection(DEFINITIONS);
    if (resource === undefined) throw new Error('customresourcedefinitions are not served');
    return resource;
  }
}

function conditionReason(definition: ApiObject): string {
  const conditions = at(definition, 'status', 'conditions');
  const found = Array.isArray(conditions) ? conditions.find((one) => at(one, 'type') === 'Terminating') : undefined;
  return textOr(at(found, 'reason'));
}
