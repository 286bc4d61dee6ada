import { arrayOr, at, isObject, objectOr, type JsonObject } from '../json.ts';
import { timestamp, type ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import type { ApiContext } from '../rest/index.ts';
import type { ControllerWriter } from './writers.ts';

const NAMESPACES = '/namespaces';
const PODS = '/pods';

/** Deletes the content of a terminating namespace, Pods first, and then removes its finalizer. */
export class NamespaceEnd {
  readonly #context: ApiContext;
  readonly #writer: ControllerWriter;

  constructor(context: ApiContext, writer: ControllerWriter) {
    this.#context = context;
    this.#writer = writer;
  }

  /**
   * Performs the next steps of the deletion.
   *
   * @throws AggregateError if objects cannot be deleted
   */
  async advance(name: string): Promise<void> {
    if (this.#ending(name) === undefined) return;
    const errors: unknown[] = [];
    await this.#deleteAll(
      name,
      this.#resources().filter(({ collection }) => collection === PODS),
      errors,
    );
    // Pods can need the other objects until they end.
    const hasPods = this.#contentOf(name, PODS).length > 0;
    if (!hasPods) await this.#deleteAll(name, this.#resources(), errors);
    const left = hasPods ? [] : this.#remaining(name);
    await this.#writeConditions(name, left, errors);
    if (errors.length > 0) throw new AggregateError(errors, `cannot delete the content of namespace ${name}`);
    if (!hasPods && left.length === 0) await this.#finalize(name);
  }

  /** The namespace if it is terminating and has the finalizer `kubernetes`. */
  #ending(name: string): ApiObject | undefined {
    const namespace = this.#context.store.collection(NAMESPACES).get(name)?.object;
    const isWaiting = arrayOr(at(namespace, 'spec', 'finalizers')).includes('kubernetes');
    return isWaiting && namespace?.metadata.deletionTimestamp !== undefined ? namespace : undefined;
  }

  /** The namespaced resources, one per collection: versions share a collection. */
  #resources(): Resource[] {
    const all = this.#context.registry.all().filter(({ namespaced }) => namespaced);
    return [...new Map(all.map((resource) => [resource.collection, resource])).values()];
  }

  #contentOf(name: string, collection: string): ApiObject[] {
    return [...this.#context.store.collection(collection).values()]
      .map(({ object }) => object)
      .filter(({ metadata }) => metadata.namespace === name);
  }

  async #deleteAll(name: string, resources: Resource[], errors: unknown[]): Promise<void> {
    for (const resource of resources) {
      try {
        for (const object of this.#contentOf(name, resource.collection))
          if (object.metadata.deletionTimestamp === undefined)
            await this.#writer.delete(resource, object, 'Background');
      } catch (error) {
        errors.push(error);
      }
    }
  }

  #remaining(name: string): { resource: Resource; objects: ApiObject[] }[] {
    return this.#resources()
      .map((resource) => ({ resource, objects: this.#contentOf(name, resource.collection) }))
      .filter(({ objects }) => objects.length > 0);
  }

  async #writeConditions(
    name: string,
    left: { resource: Resource; objects: ApiObject[] }[],
    errors: unknown[],
  ): Promise<void> {
    const namespace = this.#ending(name);
    if (namespace === undefined) return;
    const before = arrayOr(at(namespace, 'status', 'conditions')).filter(isObject);
    const now = timestamp(this.#context.clock.now());
    const conditions = endConditions(left, errors).map((condition): JsonObject => {
      const old = before.find(({ type }) => type === condition.type);
      const lastTransitionTime = old?.['status'] === condition.status ? (old['lastTransitionTime'] ?? now) : now;
      return { ...condition, lastTransitionTime };
    });
    const others = before.filter(({ type }) => !conditions.some((condition) => condition['type'] === type));
    const status = { ...objectOr(namespace['status']), conditions: [...others, ...conditions] };
    await this.#writer.update(this.#namespaces(), namespace, (copy) => (copy['status'] = status), 'status');
  }

  async #finalize(name: string): Promise<void> {
    const namespace = this.#ending(name);
    if (namespace === undefined) return;
    const finalizers = arrayOr(at(namespace, 'spec', 'finalizers')).filter((finalizer) => finalizer !== 'kubernetes');
    await this.#writer.update(
      this.#namespaces(),
      namespace,
      (copy) => (copy['spec'] = { ...objectOr(copy['spec']), finalizers }),
      'finalize',
    );
  }

  #namespaces(): Resource {
    const resource = this.#context.registry.find('', 'v1', 'namespaces');
    if (resource === undefined) throw new Error('namespaces are not served');
    return resource;
  }
}

interface EndCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a terminating namespace. They explain why it still exists. */
function endConditions(
  left: readonly { resource: Resource; objects: readonly ApiObject[] }[],
  errors: readonly unknown[],
): EndCondition[] {
  const finalizers = left.flatMap(({ objects }) => objects.flatMap(({ metadata }) => metadata.finalizers ?? []));
  return [
    errors.length === 0
      ? no('NamespaceDeletionContentFailure', 'ContentDeleted', 'All content successfully deleted')
      : yes('NamespaceDeletionContentFailure', 'ContentDeletionFailed', failureText(errors)),
    left.length === 0
      ? no('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : yes('NamespaceContentRemaining', 'SomeResourcesRemain', `Some resources are remaining: ${contentText(left)}`),
    finalizers.length === 0
      ? no('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'No content has finalizers')
      : yes('NamespaceFinalizersRemaining', 'SomeFinalizersRemain', finalizersText(finalizers)),
  ];
}

function no(type: string, reason: string, message: string): EndCondition {
  return { type, status: 'False', reason, message };
}

function yes(type: string, reason: string, message: string): EndCondition {
  return { type, status: 'True', reason, message };
}

function failureText(errors: readonly unknown[]): string {
  const texts = errors.map((error) => (error instanceof Error ? error.message : String(error))).sort();
  return `Failed to delete all resource types, ${errors.length} remaining: ${texts.join(', ')}`;
}

function contentText(left: readonly { resource: Resource; objects: readonly ApiObject[] }[]): string {
  return left
    .map(({ resource: { plural, group }, objects }) => `${plural}.${group} has ${objects.length} resource instances`)
    .sort()
    .join(', ');
}

function finalizersText(finalizers: readonly string[]): string {
  const counts = [...new Set(finalizers)]
    .map((name) => `${name} in ${finalizers.filter((other) => other === name).length} resource instances`)
    .sort();
  return `Some content in the namespace has finalizers remaining: ${counts.join(', ')}`;
}
