import { agentLabels, VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../../api/index.ts';
import {
  ABSENT_VERSION,
  ApiError,
  apiVersionOf,
  type Draft,
  isConflict,
  isNotFound,
  type Kind,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import type { ObjectWatch, ObjectWatches } from './named-watches.ts';
import { isOwnedBy, OwnVersion } from './object-version.ts';

/** A ConfigMap or a Secret. */
interface DataObject extends KubeObject {
  data?: Record<string, string>;
}

export interface OwnedObjectOptions<T extends DataObject> {
  client: KubeClient;
  watches: ObjectWatches;
  kind: Kind<T>;
  name: string;
  bmc: VirtualMachineBMC;
  /** Called when `object` may have changed. */
  onChange: () => void;
}

/**
 * An object with data of a BMC that must outlive its agent. The BMC owns it; an object of that name with another owner is
 * neither read nor written. It is created by a server-side apply that can only create: RBAC can allow that by name, and agents that
 * create it concurrently do not overwrite each other. Data is written with the resource version it is based on.
 */
export class OwnedObject<T extends DataObject> {
  readonly #options: OwnedObjectOptions<T>;
  readonly #watch: ObjectWatch<T>;
  readonly #own = new OwnVersion<T>();
  #wasShown = false;

  constructor(options: OwnedObjectOptions<T>) {
    const { watches, kind, name, onChange } = options;
    this.#options = options;
    this.#watch = watches.watch(kind, name, () => {
      const isShown = this.#watch.object !== undefined;
      if (this.#wasShown && !isShown) this.#own.note(undefined);
      this.#wasShown = isShown;
      onChange();
    });
  }

  get name(): string {
    return this.#options.name;
  }

  /** Whether the watch has started. */
  get hasSettled(): boolean {
    return this.#watch.hasSettled;
  }

  /** Whether it is known not to exist, or to belong to another owner. */
  get isAbsent(): boolean {
    return this.hasSettled && this.object === undefined;
  }

  /** The newest known version. */
  get object(): T | undefined {
    const cached = this.#watch.object;
    return this.#ifOurs(cached === undefined ? this.#own.object : this.#own.over(cached));
  }

  /**
   * Reads it from the API server.
   *
   * @throws ApiError, TransportError
   */
  async read(signal?: AbortSignal): Promise<T | undefined> {
    const { client, kind } = this.#options;
    const read = (): Promise<T | undefined> => client.find(kind, this.#ref, signal === undefined ? {} : { signal });
    const found = await (this.#watch.read?.(signal) ?? read());
    this.#own.note(found);
    return this.#ifOurs(found);
  }

  /**
   * Writes some of its data.
   *
   * @param base the version that the data is based on; undefined: creates the object
   * @throws ApiError 404 or 409 if it has changed since `base`, or has another owner; TransportError
   */
  async write(base: T | undefined, data: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<T> {
    const { client, kind } = this.#options;
    const options = signal === undefined ? {} : { signal };
    try {
      const written =
        base === undefined
          ? await this.#create(data, options)
          : await client.patch(
              kind,
              this.#ref,
              'merge',
              { metadata: { resourceVersion: base.metadata.resourceVersion }, data },
              options,
            );
      this.#own.note(written);
      return written;
    } catch (error) {
      if (isNotFound(error)) this.#own.note(undefined);
      throw error;
    }
  }

  stop(): void {
    this.#watch.stop();
  }

  async #create(data: Readonly<Record<string, string>>, options: { signal?: AbortSignal }): Promise<T> {
    const { client, kind, bmc } = this.#options;
    const { name, uid = '' } = bmc.metadata;
    const owner = { apiVersion: apiVersionOf(VIRTUAL_MACHINE_BMCS), kind: VIRTUAL_MACHINE_BMCS.kind, name, uid };
    const metadata = {
      ...this.#ref,
      resourceVersion: ABSENT_VERSION,
      labels: agentLabels(name, bmc.spec.virtualMachineRef.name),
      ownerReferences: [{ ...owner, controller: true }],
    };
    try {
      return await client.apply(kind, { metadata, data } as unknown as Draft<T>, options);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const found = await client.find(kind, this.#ref, options);
      throw found === undefined || isOwnedBy(found, bmc) ? error : this.#taken();
    }
  }

  #taken(): ApiError {
    const { kind, name } = this.#options;
    const message = `${kind.kind} ${name} belongs to another owner: rename or delete it, so that the BMC can create its own`;
    // A conflict like that of the API server.
    const body = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Conflict',
      code: 409,
      message,
    } as const;
    return new ApiError('write', 409, body);
  }

  get #ref(): ObjectRef {
    const { namespace = '' } = this.#options.bmc.metadata;
    return { namespace, name: this.#options.name };
  }

  #ifOurs(object: T | undefined): T | undefined {
    return object !== undefined && isOwnedBy(object, this.#options.bmc) ? object : undefined;
  }
}
