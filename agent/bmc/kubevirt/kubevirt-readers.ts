import type { VirtualMachine } from '../../../api/index.ts';
import type { KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import { Slots } from '../objects/slots.ts';
import type { MachineContext } from './machine-objects.ts';
import { probePermission, probePower } from './power/power-probe.ts';
import type { PowerRefusal } from './power/power-refusal.ts';
import { SmbiosReader } from './system-smbios.ts';

/** Probes at the same time: those of 1,000 BMCs must not delay what clients request. */
const PROBES = 2;
/** Milliseconds for which an accepted probe speaks for KubeVirt itself. */
const ACCEPTED_FOR = 60_000;

/** What the machines of a process ask KubeVirt once for all of them. */
export class KubeVirtReaders {
  readonly smbios: SmbiosReader;
  readonly #options: Pick<MachineContext, 'clock'>;
  readonly #slots = new Slots(PROBES);
  #acceptedAt = -Infinity;

  constructor(options: ConstructorParameters<typeof SmbiosReader>[0]) {
    this.#options = options;
    this.smbios = new SmbiosReader(options);
  }

  /**
   * Like `probePower`. After KubeVirt has accepted all calls for one machine, only the permission for the others is checked:
   * one request in place of eight.
   *
   * @throws TransportError
   */
  async probe(client: KubeClient, machine: ObjectRef, vm: VirtualMachine): Promise<PowerRefusal | undefined> {
    const { clock } = this.#options;
    return await this.#slots.run(async () => {
      if (clock.monotonic() < this.#acceptedAt + ACCEPTED_FOR) return await probePermission(client, machine, vm);
      const refusal = await probePower(client, machine, vm);
      this.#acceptedAt = refusal === undefined ? clock.monotonic() : -Infinity;
      return refusal;
    });
  }
}
