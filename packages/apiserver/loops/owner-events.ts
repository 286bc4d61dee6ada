import { randomBytes } from 'node:crypto';
import type { Logger } from '@groundcrew/controller-runtime';
import { timestamp, type ApiObject } from '../objects.ts';
import type { Registry } from '../resources/index.ts';
import type { ApiContext } from '../rest/index.ts';
import type { ControllerWriter } from './controller-writer.ts';

export type OwnerReference = NonNullable<ApiObject['metadata']['ownerReferences']>[number];

const REASON = 'OwnerRefInvalidNamespace';
const COMPONENT = 'garbage-collector-controller';

/** Tells of objects that name an owner in another namespace, which does not count: as kube-controller-manager does. */
export class OwnerEvents {
  readonly #context: ApiContext;
  readonly #registry: Registry;
  readonly #logger: Logger;
  readonly #writer: ControllerWriter;
  /** Where objects are, by uid; '' for those in no namespace. */
  readonly #namespaces = new Map<string, string>();

  constructor(context: ApiContext, writer: ControllerWriter) {
    this.#context = context;
    this.#registry = context.registry;
    this.#logger = context.logger;
    this.#writer = writer;
  }

  observe(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: ApiObject): void {
    const { uid = '', namespace = '', ownerReferences = [] } = object.metadata;
    if (type === 'DELETED') {
      this.#namespaces.delete(uid);
      return;
    }
    this.#namespaces.set(uid, namespace);
    if (type !== 'ADDED') return;
    for (const owner of ownerReferences) {
      const home = this.#namespaces.get(owner.uid) ?? '';
      if (home !== '' && home !== namespace) this.#report(object, owner);
    }
  }

  #report(object: ApiObject, { apiVersion, kind, name, uid }: OwnerReference): void {
    const { apiVersion: version, kind: what, metadata } = object;
    const events = this.#registry.find('', 'v1', 'events');
    if (events === undefined) return;
    const now = this.#context.clock.now();
    const { namespace = '' } = metadata;
    const event: ApiObject = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: `${metadata.name}.${randomBytes(8).toString('hex')}`,
        namespace: namespace === '' ? 'default' : namespace,
      },
      involvedObject: {
        kind: what,
        apiVersion: version,
        name: metadata.name,
        ...(namespace === '' ? {} : { namespace }),
        ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
      },
      reason: REASON,
      message: `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace ${JSON.stringify(namespace)}`,
      source: { component: COMPONENT },
      reportingComponent: COMPONENT,
      reportingInstance: '',
      firstTimestamp: timestamp(now),
      lastTimestamp: timestamp(now),
      count: 1,
      type: 'Warning',
      eventTime: null,
    };
    // After the change that is being observed: its own listeners come first.
    setImmediate(() => {
      this.#writer.create(events, event).catch((error: unknown) => {
        this.#logger.warn({ err: error, event }, 'an Event could not be written');
      });
    });
  }
}
