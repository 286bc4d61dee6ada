import {
  ABSENT_VERSION,
  isConflict,
  type Draft,
  type Kind,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { isRefusal } from '../refusal.ts';

/** An object to delete. */
export interface Removal<C extends string> {
  child: C;
  object: KubeObject;
}

/** An object to create or change. */
export interface Application<C extends string> {
  child: C;
  draft: Draft<KubeObject>;
  /** Of the object to change; undefined if it does not exist. */
  uid: string | undefined;
}

/** A request that the API server rejected for good. */
export interface Rejection<C extends string> {
  child: C;
  kind: string;
  metadata: Partial<KubeObject['metadata']>;
  /** The server's message. */
  message: string;
}

/**
 * Writes objects by their kind and collects permanent rejections. Temporary failures are thrown: ApiError, TransportError. A conflict of an
 * object to create means that another one has the name.
 */
export class ChildWriter<C extends string> {
  readonly rejections: Rejection<C>[] = [];
  /** The objects that were created or changed, as the server answered. */
  readonly written: { child: C; object: KubeObject }[] = [];
  /** The object to create whose name another one has. */
  occupied: { child: C; ref: ObjectRef } | undefined;
  readonly #client: KubeClient;
  readonly #kinds: Readonly<Record<C, Kind<KubeObject>>>;

  constructor(client: KubeClient, kinds: Readonly<Record<C, Kind<KubeObject>>>) {
    this.#client = client;
    this.#kinds = kinds;
  }

  async remove(removals: readonly Removal<C>[]): Promise<void> {
    for (const { child, object } of removals) {
      const { namespace = '', name, uid } = object.metadata;
      const precondition = uid === undefined ? {} : { uid };
      await this.attempt(child, object.metadata, (kind) =>
        this.#client.delete(kind, { namespace, name }, { ...precondition, propagationPolicy: 'Background' }),
      );
    }
  }

  async apply(applications: readonly Application<C>[]): Promise<void> {
    for (const { child, draft, uid } of applications) {
      // With a uid the server changes exactly that object or none.
      const metadata = { ...draft.metadata, ...(uid === undefined ? { resourceVersion: ABSENT_VERSION } : { uid }) };
      await this.attempt(child, draft.metadata, async (kind) => {
        try {
          const object = await this.#client.apply(kind, { ...draft, metadata }, { force: uid !== undefined });
          this.written.push({ child, object });
        } catch (error) {
          const { namespace = '', name = '' } = draft.metadata;
          if (uid === undefined && isConflict(error)) this.occupied = { child, ref: { namespace, name } };
          throw error;
        }
      });
    }
  }

  async attempt(
    child: C,
    metadata: Rejection<C>['metadata'],
    write: (kind: Kind<KubeObject>) => Promise<unknown>,
  ): Promise<void> {
    const kind: Kind<KubeObject> = this.#kinds[child];
    try {
      await write(kind);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.rejections.push({ child, kind: kind.kind, metadata, message: error.serverMessage });
    }
  }
}
