import { at } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Registry, Resource } from '../resources/index.ts';
import type { ApiContext } from '../rest/index.ts';
import type { Change, Store } from '../store/index.ts';
import { ControllerWriter, type InternalWriter } from './writers.ts';
import { NamespaceEnd } from './namespace-end.ts';
import { WorkLoop } from './work-loop.ts';

/**
 * Creates the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt` in new namespaces, and deletes the content
 * of terminating namespaces.
 */
export class NamespaceLoop {
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #writer: InternalWriter;
  readonly #ca: string;
  readonly #ends: WorkLoop<string>;

  constructor(context: ApiContext, writer: InternalWriter, ca: string) {
    const end = new NamespaceEnd(context, new ControllerWriter(context, 'namespace-controller'));
    this.#store = context.store;
    this.#registry = context.registry;
    this.#writer = writer;
    this.#ca = ca;
    this.#ends = new WorkLoop({
      clock: context.clock,
      logger: context.logger,
      work: (name) => end.advance(name),
      failure: 'cannot delete the content of a namespace; retrying',
    });
  }

  /** @returns a function that stops the loop */
  start(): () => void {
    const unsubscribe = this.#store.subscribe((collection, change) => {
      this.#observe(collection, change);
    });
    return () => {
      unsubscribe();
      this.#ends.stop();
    };
  }

  #observe(collection: string, { type, current: { object } }: Change): void {
    const { name, namespace = collection === '/namespaces' ? name : undefined } = object.metadata;
    if (namespace === undefined) return;
    if (this.#isTerminating(namespace)) this.#ends.add(namespace, namespace);
    else if (collection === '/namespaces' && type === 'ADDED') this.#createDefaults(namespace);
  }

  #isTerminating(name: string): boolean {
    return this.#store.collection('/namespaces').get(name)?.object.metadata.deletionTimestamp !== undefined;
  }

  #createDefaults(namespace: string): void {
    this.#ensure('serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace },
    });
    const configMaps = this.#resource('configmaps');
    const published = this.#writer.get(configMaps, { namespace, name: 'kube-root-ca.crt' });
    const data = { 'ca.crt': this.#ca };
    if (published === undefined) {
      const metadata = { name: 'kube-root-ca.crt', namespace };
      this.#ensure('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    } else if (at(published, 'data', 'ca.crt') !== this.#ca) {
      this.#writer.update(configMaps, published, (copy) => {
        copy['data'] = data;
      });
    }
  }

  #ensure(plural: string, object: ApiObject): void {
    this.#writer.ensure(this.#resource(plural), object);
  }

  #resource(plural: string): Resource {
    const resource = this.#registry.find('', 'v1', plural);
    if (resource === undefined) throw new Error(`${plural} are not served`);
    return resource;
  }
}
