import {
  certificateSecretName,
  credentialsSecretName,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
} from '../../api/index.ts';
import { type Secret, SECRETS } from '@groundcrew/controller-runtime';
import type { MachinePair } from './kubevirt/machine-objects.ts';
import type { ObjectWatch, ObjectWatches } from './objects/named-watches.ts';

export interface BmcObjectsOptions {
  watches: ObjectWatches;
  bmc: VirtualMachineBMC;
  /** Called whenever one of the objects may have changed. */
  onChange: () => void;
}

/** Objects of other owners that a BMC reads: its VM and VMI, and the Secrets with its credentials and its certificate. */
export class BmcObjects {
  readonly #options: BmcObjectsOptions;
  readonly #vm: ObjectWatch<VirtualMachine>;
  readonly #vmi: ObjectWatch<VirtualMachineInstance>;
  readonly #certificate: ObjectWatch<Secret>;
  #secret: ObjectWatch<Secret>;
  #secretName: string;

  constructor(options: BmcObjectsOptions) {
    const { watches, bmc, onChange } = options;
    const { name } = bmc.spec.virtualMachineRef;
    this.#options = options;
    this.#secretName = secretNameOf(bmc);
    this.#vm = watches.watch(VIRTUAL_MACHINES, name, onChange);
    this.#vmi = watches.watch(VIRTUAL_MACHINE_INSTANCES, name, onChange);
    this.#secret = watches.watch(SECRETS, this.#secretName, onChange);
    this.#certificate = watches.watch(SECRETS, certificateSecretName(bmc.metadata.name), onChange);
  }

  /** Undefined until both watches have started. */
  get pair(): MachinePair | undefined {
    return this.#vm.hasSettled && this.#vmi.hasSettled ? { vm: this.#vm.object, vmi: this.#vmi.object } : undefined;
  }

  /** Whether the pair is recent enough to rely on. */
  get isFresh(): boolean {
    return this.#vm.isFresh && this.#vmi.isFresh;
  }

  /** Reads stale objects of the pair from the API server, for up to 2 s. Never rejects; see `isFresh`. */
  async refresh(): Promise<void> {
    await Promise.all([this.#vm.refresh(), this.#vmi.refresh()]);
  }

  get secretName(): string {
    return this.#secretName;
  }

  /** Undefined until the watch has started. */
  get secret(): { object: Secret | undefined } | undefined {
    return this.#secret.hasSettled ? { object: this.#secret.object } : undefined;
  }

  /** The Secret with the certificate for HTTPS. Undefined until the watch has started. */
  get certificate(): { object: Secret | undefined } | undefined {
    return this.#certificate.hasSettled ? { object: this.#certificate.object } : undefined;
  }

  /** Watches the Secrets that the BMC names now. */
  follow(bmc: VirtualMachineBMC): void {
    if (this.#secretName === secretNameOf(bmc)) return;
    const { watches, onChange } = this.#options;
    this.#secret.stop();
    this.#secretName = secretNameOf(bmc);
    this.#secret = watches.watch(SECRETS, this.#secretName, onChange);
  }

  stop(): void {
    for (const watch of [this.#vm, this.#vmi, this.#secret, this.#certificate]) watch.stop();
  }
}

function secretNameOf({ metadata, spec }: VirtualMachineBMC): string {
  return spec.authSecretRef?.name ?? credentialsSecretName(metadata.name);
}
