import { credentialsSecretName, SECRET_KEYS, type VirtualMachineBMC } from '../../../api/index.ts';
import { type KubeClient, type Secret, SECRETS } from '@groundcrew/controller-runtime';
import { AccountError } from '../../../protocols/accounts.ts';
import type { OwnerSecret } from '../accounts/bmc-accounts.ts';
import { type EditOptions, editWithRetry } from '../objects/edit-with-retry.ts';
import { isOwnedBy, OwnVersion } from '../objects/object-version.ts';
import { accountChange } from './stored-accounts.ts';

export interface MadeCredentialsOptions extends EditOptions {
  client: KubeClient;
  bmc: VirtualMachineBMC;
  /** The Secret from the watch cache. */
  cached: () => Secret | undefined;
}

/** The Secret that the manager creates for a BMC that names none. A user's Secret of that name is never written. */
export class MadeCredentials implements OwnerSecret {
  readonly #options: MadeCredentialsOptions;
  readonly #own = new OwnVersion<Secret>();

  constructor(options: MadeCredentialsOptions) {
    this.#options = options;
  }

  /** The newest known version of a Secret from the watch cache, which may not have the last write yet. */
  newest(cached: Secret | undefined): Secret | undefined {
    return cached && this.#own.over(cached);
  }

  async changePassword(password: Buffer): Promise<void> {
    const { client, bmc, cached, clock, signal } = this.#options;
    const { name, namespace = '' } = bmc.metadata;
    const ref = { namespace, name: credentialsSecretName(name) };
    const ours = (secret: Secret | undefined): Secret => {
      if (secret !== undefined && isOwnedBy(secret, bmc)) return secret;
      throw new AccountError('ReadOnly', `the account is in Secret ${ref.name}, which only its owner changes`);
    };
    const known = this.newest(cached());
    const target = {
      // The copy in the Secret of a shared agent does not say who owns it.
      object: known?.metadata.ownerReferences === undefined ? undefined : known,
      read: async (ends: AbortSignal) => await client.find(SECRETS, ref, { signal: ends }),
      write: async (base: Secret | undefined, data: object, ends: AbortSignal) => {
        const { resourceVersion } = ours(base).metadata;
        const patch = { metadata: { resourceVersion }, data };
        this.#own.note(await client.patch(SECRETS, ref, 'merge', patch, { signal: ends }));
      },
    };
    const edit = () => ({ [SECRET_KEYS.password]: password.toString('base64') });
    await accountChange(() => editWithRetry(target, edit, { clock, signal }));
  }
}
