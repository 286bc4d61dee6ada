import { mediaSecretName, type MediaSlot, type MediaStatus, type VirtualMachineBMC } from '../../../../api/index.ts';
import { type Draft, type KubeClient, type ObjectRef, type Secret, SECRETS } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../../protocols/machine/index.ts';
import { isOwnedBy } from '../../objects/object-version.ts';
import { type ImageOrder, isMasked, maskedUrl } from './image-url.ts';
import { loginSecretOf } from './media-volume.ts';

/**
 * User name and password for the image server, and a URL with a query, in a Secret of the BMC until the image is
 * imported. A Secret of that name with another owner, even a deleted BMC of the same name, is neither read nor written.
 */
export class MediaLogin {
  readonly #client: KubeClient;
  readonly #slot: MediaSlot;
  readonly #ref: ObjectRef;

  constructor(client: KubeClient, { namespace = '', name }: ObjectRef, slot: MediaSlot) {
    this.#client = client;
    this.#slot = slot;
    this.#ref = { namespace, name: mediaSecretName(name, slot) };
  }

  /**
   * Call it before the status records the insertion: the next agent cannot get the password again.
   *
   * @param order without login and query: deletes a previous one
   * @throws MachineError `InvalidState` if the Secret has another owner; ApiError, 409 if it was created or deleted
   * concurrently
   */
  async keep(bmc: VirtualMachineBMC, order: ImageOrder): Promise<void> {
    if (order.login === undefined && order.url.search === '') {
      await this.drop(bmc);
      return;
    }
    const found = await this.#client.find(SECRETS, this.#ref);
    if (found !== undefined && !isOwnedBy(found, bmc)) throw this.#taken();
    const { uid, resourceVersion } = (found ?? (await this.#make(bmc))).metadata;
    const secret = loginSecretOf(bmc, this.#slot, order);
    // Write only this object, not a new one of the same name.
    const guard = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    await this.#client.apply(SECRETS, { ...secret, metadata: { ...secret.metadata, ...guard } }, { force: true });
  }

  /**
   * The whole URL of an image.
   *
   * @returns undefined: the Secret does not have it any more
   * @throws ApiError, TransportError
   */
  async urlOf(bmc: VirtualMachineBMC, { image }: MediaStatus): Promise<string | undefined> {
    if (!isMasked(image)) return image ?? '';
    const found = await this.#client.find(SECRETS, this.#ref);
    if (found === undefined || !isOwnedBy(found, bmc)) return undefined;
    const url = Buffer.from(found.data?.['url'] ?? '', 'base64').toString('utf8');
    return maskedUrl(url) === image ? url : undefined;
  }

  /** @throws ApiError, TransportError */
  async drop(bmc: VirtualMachineBMC): Promise<void> {
    const found = await this.#client.find(SECRETS, this.#ref);
    if (found === undefined || !isOwnedBy(found, bmc)) return;
    const { uid = '' } = found.metadata;
    await this.#client.delete(SECRETS, this.#ref, { uid });
  }

  /** Without the password: an apply also writes a new object of the same name. */
  async #make(bmc: VirtualMachineBMC): Promise<Secret> {
    const { apiVersion, kind, metadata } = loginSecretOf(bmc, this.#slot);
    const made = await this.#client.apply(SECRETS, { apiVersion, kind, metadata });
    const isOurs = made.metadata.ownerReferences?.length === 1 && Object.keys(made.data ?? {}).length === 0;
    if (isOurs) return made;
    await this.#giveBack(made);
    throw this.#taken();
  }

  /** An apply removes the fields of the previous apply that it does not set. */
  async #giveBack({ apiVersion, kind, metadata: { uid } }: Secret): Promise<void> {
    const bare: Draft<Secret> = { apiVersion, kind, metadata: { ...this.#ref, ...(uid === undefined ? {} : { uid }) } };
    await this.#client.apply(SECRETS, bare);
  }

  #taken(): MachineError {
    return new MachineError('InvalidState', `Secret ${this.#ref.name} belongs to another owner: rename or delete it`);
  }
}
