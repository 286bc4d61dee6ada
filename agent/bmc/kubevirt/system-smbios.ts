import { type KubeVirt, readKubeVirt } from './kubevirt-configuration.ts';
import type { MachineContext } from './machine-objects.ts';

/** What KubeVirt writes about the system into the SMBIOS of all VMs, as the cluster's owner configured it. */
export type SystemSmbios = NonNullable<NonNullable<NonNullable<KubeVirt['spec']>['configuration']>['smbios']>;

/** ms between reads. The configuration is rarely changed. */
export const READ_PERIOD = 600_000;

/** KubeVirt's `configuration.smbios`, read in the background. */
export class SmbiosReader {
  readonly #options: Pick<MachineContext, 'client' | 'clock' | 'signal' | 'logger'>;
  #readAt: number | undefined;
  #smbios: SystemSmbios | undefined;

  constructor(options: Pick<MachineContext, 'client' | 'clock' | 'signal' | 'logger'>) {
    this.#options = options;
  }

  /** The last value that was read; undefined: not known. */
  get current(): SystemSmbios | undefined {
    return this.#smbios;
  }

  /** Reads it if the last read is too long ago. Never rejects: after a failure the last value stays until the next read. */
  async follow(): Promise<void> {
    const { client, clock, signal, logger } = this.#options;
    if (this.#readAt !== undefined && clock.monotonic() < this.#readAt + READ_PERIOD) return;
    this.#readAt = clock.monotonic();
    try {
      this.#smbios = (await readKubeVirt(client, { signal }))?.spec?.configuration?.smbios;
    } catch (error) {
      logger.warn({ err: error }, "KubeVirt's configuration cannot be read; trying again later");
    }
  }
}
