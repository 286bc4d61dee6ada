import { certificateSecretName, credentialsSecretName, type VirtualMachineBMC } from '../../api/index.ts';
import { type Secret, SECRETS } from '@groundcrew/controller-runtime';
import type { ObjectWatch, ObjectWatches } from './objects/named-watches.ts';

export interface BmcSecretsOptions {
  watches: ObjectWatches;
  bmc: VirtualMachineBMC;
  /** Called when one of the Secrets may have changed. */
  onChange: () => void;
}

/** The Secrets of other owners that a BMC reads: its credentials and its certificate for HTTPS. */
export class BmcSecrets {
  readonly #options: BmcSecretsOptions;
  readonly #certificate: ObjectWatch<Secret>;
  #credentials: ObjectWatch<Secret>;
  #name: string;

  constructor(options: BmcSecretsOptions) {
    const { watches, bmc, onChange } = options;
    this.#options = options;
    this.#name = nameOf(bmc);
    this.#credentials = watches.watch(SECRETS, this.#name, onChange);
    this.#certificate = watches.watch(SECRETS, certificateSecretName(bmc.metadata.name), onChange);
  }

  /** Name of the Secret with the credentials. */
  get name(): string {
    return this.#name;
  }

  /** Undefined until the watch has started. */
  get credentials(): { object: Secret | undefined } | undefined {
    return this.#credentials.hasSettled ? { object: this.#credentials.object } : undefined;
  }

  /** Why the credentials are not shown although their Secret exists. */
  get withheld(): string | undefined {
    return this.#credentials.withheld;
  }

  /** Undefined until the watch has started. */
  get certificate(): { object: Secret | undefined } | undefined {
    return this.#certificate.hasSettled ? { object: this.#certificate.object } : undefined;
  }

  /** Watches the Secret that the BMC names now. */
  follow(bmc: VirtualMachineBMC): void {
    if (this.#name === nameOf(bmc)) return;
    const { watches, onChange } = this.#options;
    this.#credentials.stop();
    this.#name = nameOf(bmc);
    this.#credentials = watches.watch(SECRETS, this.#name, onChange);
  }

  stop(): void {
    this.#credentials.stop();
    this.#certificate.stop();
  }
}

function nameOf({ metadata, spec }: VirtualMachineBMC): string {
  return spec.authSecretRef?.name ?? credentialsSecretName(metadata.name);
}
