import { mediaSecretName, type VirtualMachineBMC } from '../../../api/index.ts';
import { SECRETS, type Draft, type KubeClient, type ObjectRef, type Secret } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import { isOwnedBy } from '../owned/index.ts';
import type { ImageOrder } from './image-url.ts';
import { loginSecretOf } from './media-objects.ts';

/**
 * User name and password for the image server, in a Secret of the BMC's for as long as CDI needs them. A Secret of that name that is
 * somebody else's is neither read nor written, be it a BMC's of the same name that was deleted.
 */
export class MediaLogin {
  readonly #client: KubeClient;
  readonly #ref: ObjectRef;

  constructor(client: KubeClient, { namespace = '', name }: ObjectRef) {
    this.#client = client;
    this.#ref = { namespace, name: mediaSecretName(name) };
  }

  /**
   * Call it before the status speaks of the insertion: no agent that comes next could ask for the password again.
   *
   * @param login undefined: there is none, nor is one of before
   * @throws MachineError `InvalidState` where the Secret is somebody else's; ApiError, 409 where it was made or deleted meanwhile
   */
  async keep(bmc: VirtualMachineBMC, login: ImageOrder['login']): Promise<void> {
    if (login === undefined) {
      await this.drop(bmc);
      return;
    }
    const found = await this.#client.find(SECRETS, this.#ref);
    if (found !== undefined && !isOwnedBy(found, bmc)) throw this.#taken();
    const { uid, resourceVersion } = (found ?? (await this.#make(bmc))).metadata;
    const secret = loginSecretOf(bmc, login.userName, login.password);
    // Into that very object, and no other that has its name by now.
    const guard = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    await this.#client.apply(SECRETS, { ...secret, metadata: { ...secret.metadata, ...guard } }, { force: true });
  }

  /** @throws ApiError, TransportError */
  async drop(bmc: VirtualMachineBMC): Promise<void> {
    const found = await this.#client.find(SECRETS, this.#ref);
    if (found === undefined || !isOwnedBy(found, bmc)) return;
    const { uid = '' } = found.metadata;
    await this.#client.delete(SECRETS, this.#ref, { uid });
  }

  /** Without the password: an apply goes to whatever bears the name by then, too. */
  async #make(bmc: VirtualMachineBMC): Promise<Secret> {
    const { apiVersion, kind, metadata } = loginSecretOf(bmc, '', '');
    const made = await this.#client.apply(SECRETS, { apiVersion, kind, metadata });
    const isOurs = made.metadata.ownerReferences?.length === 1 && Object.keys(made.data ?? {}).length === 0;
    if (isOurs) return made;
    await this.#giveBack(made);
    throw this.#taken();
  }

  /** An apply takes away what the one before set and it does not. */
  async #giveBack({ apiVersion, kind, metadata: { uid } }: Secret): Promise<void> {
    const bare: Draft<Secret> = { apiVersion, kind, metadata: { ...this.#ref, ...(uid === undefined ? {} : { uid }) } };
    await this.#client.apply(SECRETS, bare);
  }

  #taken(): MachineError {
    return new MachineError('InvalidState', `Secret ${this.#ref.name} is not this BMC's: rename or delete it`);
  }
}
