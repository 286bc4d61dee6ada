import { customResources } from '../definitions/index.ts';
import { at, equal, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Registry, Resource } from '../resources/index.ts';
import type { CelRules, Schema } from '../schema/index.ts';
import type { Change, Store } from '../store/index.ts';
import type { InternalWriter } from './internal-writer.ts';

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';
const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

interface Options {
  store: Store;
  registry: Registry;
  writer: InternalWriter;
  metadataSchema: Schema;
  rules: CelRules;
}

/** Serves what CustomResourceDefinitions define from the moment that they are written, and ends it with them. */
export class DefinitionLoop {
  readonly #options: Options;
  readonly #served = new Map<string, { spec: string; resources: Resource[] }>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Returns what stops it. */
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
      return;
    }
    if (definition.metadata.deletionTimestamp === undefined) {
      this.#serve(definition);
      this.#establish(definition);
    } else {
      this.#cleanUp(definition);
    }
  }

  #serve(definition: ApiObject): void {
    const { registry, metadataSchema, rules } = this.#options;
    const { name } = definition.metadata;
    const spec = JSON.stringify(definition['spec']);
    if (this.#served.get(name)?.spec === spec) return;
    this.#withdraw(name);
    const resources = customResources(definition, metadataSchema, rules);
    for (const resource of resources) registry.add(resource);
    this.#served.set(name, { spec, resources });
  }

  #withdraw(name: string): void {
    for (const resource of this.#served.get(name)?.resources ?? []) this.#options.registry.remove(resource);
    this.#served.delete(name);
  }

  #establish(definition: ApiObject): void {
    const { writer } = this.#options;
    const resource = this.#definitions();
    const names = objectOr(at(definition, 'spec', 'names'));
    const status = objectOr(definition['status']);
    if (equal(status['acceptedNames'], names) && Array.isArray(status['conditions'])) return;
    const condition = (type: string, reason: string, message: string): JsonObject => ({
      type,
      status: 'True',
      lastTransitionTime: writer.now(),
      reason,
      message,
    });
    writer.update(
      resource,
      definition,
      (copy) => {
        copy['status'] = {
          ...status,
          acceptedNames: names,
          conditions: status['conditions'] ?? [
            condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
            condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
          ],
        };
      },
      'status',
    );
  }

  #cleanUp(definition: ApiObject): void {
    const { writer, store } = this.#options;
    if (definition.metadata.finalizers?.includes(CLEANUP) !== true) return;
    const [resource] = this.#served.get(definition.metadata.name)?.resources ?? [];
    if (resource !== undefined) {
      for (const { object } of [...store.collection(resource.collection).values()]) {
        if (object.metadata.deletionTimestamp === undefined) writer.delete(resource, object);
      }
      if (store.collection(resource.collection).size > 0) return;
    }
    writer.update(this.#definitions(), definition, ({ metadata }) => {
      metadata.finalizers = metadata.finalizers?.filter((name) => name !== CLEANUP) ?? [];
      if (metadata.finalizers.length === 0) delete metadata.finalizers;
    });
  }

  /** The last custom resource of a definition that is being deleted lets it go. */
  #finishCleanup(collection: string): void {
    const { store } = this.#options;
    for (const { object } of [...store.collection(DEFINITIONS).values()]) {
      const own = `${textOr(at(object, 'spec', 'group'))}/${textOr(at(object, 'spec', 'names', 'plural'))}`;
      if (
        own === collection &&
        object.metadata.deletionTimestamp !== undefined &&
        store.collection(collection).size === 0
      )
        this.#cleanUp(object);
    }
  }

  #definitions(): Resource {
    const resource = this.#options.registry.ofCollection(DEFINITIONS);
    if (resource === undefined) throw new Error('customresourcedefinitions are not served');
    return resource;
  }
}
