import { expect } from 'vitest';
import { VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_INSTANCES } from '../../../../api/index.ts';
import { EVENTS } from '@groundcrew/controller-runtime';
import { eventually } from '../../../harness/eventually.ts';
import type { Sandbox, SandboxBmc } from '../../../harness/sandbox/index.ts';
import type { Effect } from '../table/row.ts';

/** The state of one virtual machine in the cluster, to check the effect of a command. */
export class ClusterView {
  readonly #client: Sandbox['client'];
  readonly #bmc: SandboxBmc;

  constructor({ client }: Pick<Sandbox, 'client'>, bmc: SandboxBmc) {
    this.#client = client;
    this.#bmc = bmc;
  }

  /** UID of the VirtualMachineInstance; undefined if it does not exist. */
  async instanceUid(): Promise<string | undefined> {
    return (await this.#instance())?.metadata.uid;
  }

  /** Resolves when the effect is visible; throws with the actual state after the timeout. */
  async shows(effect: Effect, uidBefore: string | undefined): Promise<void> {
    await eventually(async () => {
      if ('bootOverride' in effect) {
        const override = (await this.#status())?.bootOverride;
        const { bootOverride } = effect;
        if (bootOverride === undefined) expect(override).toBeUndefined();
        else expect(override).toMatchObject(bootOverride);
      } else if ('event' in effect) {
        expect(await this.#messages(effect.event)).toEqual(
          expect.arrayContaining([expect.stringMatching(effect.says) as string]),
        );
      } else if ('bootsFirst' in effect) {
        const instance = await this.#runningInstance();
        expect(instance.metadata.uid).not.toBe(uidBefore);
        expect(firstToBoot(instance.spec.domain.devices)).toBe(effect.bootsFirst);
      } else if (effect.instance === 'gone') {
        expect(await this.#instance()).toBeUndefined();
      } else {
        const { uid } = (await this.#runningInstance()).metadata;
        if (effect.instance === 'same') expect(uid).toBe(uidBefore);
        else expect(uid).not.toBe(uidBefore);
      }
    });
  }

  /** The messages of the BMC's Events with a reason. */
  async #messages(reason: string): Promise<string[]> {
    const { namespace, name } = this.#bmc;
    const { items } = await this.#client.list(EVENTS, { namespace });
    return items
      .filter((event) => event.reason === reason && event.involvedObject.name === name)
      .map(({ message }) => message ?? '');
  }

  async #runningInstance() {
    const instance = await this.#instance();
    expect(instance?.status?.phase).toBe('Running');
    return instance ?? expect.fail('no VirtualMachineInstance');
  }

  async #instance() {
    const { namespace, virtualMachine } = this.#bmc;
    return await this.#client.find(VIRTUAL_MACHINE_INSTANCES, { namespace, name: virtualMachine });
  }

  async #status() {
    const { namespace, name } = this.#bmc;
    return (await this.#client.get(VIRTUAL_MACHINE_BMCS, { namespace, name })).status;
  }
}

interface BootDevice {
  name: string;
  bootOrder?: number;
}

function firstToBoot(devices: {
  disks?: readonly BootDevice[];
  interfaces?: readonly BootDevice[];
}): string | undefined {
  const named = [
    ...(devices.disks ?? []).map((disk) => ({ ...disk, name: `disk:${disk.name}` })),
    ...(devices.interfaces ?? []).map((nic) => ({ ...nic, name: `interface:${nic.name}` })),
  ];
  return named.find(({ bootOrder }) => bootOrder === 1)?.name;
}
