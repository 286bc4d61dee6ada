import { randomBytes } from 'node:crypto';
import {
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { type ObjectRef, systemClock } from '@groundcrew/controller-runtime';
import type { SerialLine } from '../../../protocols/machine/index.ts';
import { consoleSockets } from '../../../agent/bmc/kubevirt/console/console-socket.ts';
import { KubeVirtConsole } from '../../../agent/bmc/kubevirt/console/kubevirt-console.ts';
import { NamedWatches, type ObjectWatch } from '../../../agent/bmc/objects/named-watches.ts';
import { type Cluster, eventually } from '../../harness/index.ts';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { serviceAccountToken } from '../../harness/service-accounts.ts';

/** An agent's connection to the console of a VM, with the permissions of a service account, and its user. */
export class HeldConsole {
  readonly #vm: ObjectWatch<VirtualMachine>;
  readonly #vmi: ObjectWatch<VirtualMachineInstance>;
  readonly #console: KubeVirtConsole;
  #line: SerialLine | undefined;
  #text = '';
  #seen = 0;

  private constructor(
    watches: NamedWatches,
    access: { server: string; ca: string; token: string },
    vm: Required<ObjectRef>,
  ) {
    const follow = (): void => {
      this.#console.follow();
    };
    this.#vm = watches.watch(VIRTUAL_MACHINES, vm.name, follow);
    this.#vmi = watches.watch(VIRTUAL_MACHINE_INSTANCES, vm.name, follow);
    this.#console = new KubeVirtConsole({
      vm,
      open: consoleSockets(access),
      cached: () =>
        this.#vm.hasSettled && this.#vmi.hasSettled ? { vm: this.#vm.object, vmi: this.#vmi.object } : undefined,
      clock: systemClock,
      random: randomBytes,
    });
  }

  static async open(cluster: Cluster, account: Required<ObjectRef>, vm: Required<ObjectRef>): Promise<HeldConsole> {
    const { server, ca } = cluster;
    const client = await cluster.clientFor(account);
    const watches = new NamedWatches({ client, namespace: vm.namespace, clock: systemClock, logger: silentLogger });
    const token = await serviceAccountToken(cluster.client, account);
    const held = new HeldConsole(watches, { server, ca, token }, vm);
    held.#line = await eventually(() =>
      held.#console.open({
        received: (data) => (held.#text += data.toString('latin1')),
        drained: () => undefined,
        closed: () => undefined,
      }),
    );
    return held;
  }

  /** All output so far. */
  get text(): string {
    return this.#text;
  }

  type(text: string): void {
    this.#line?.write(Buffer.from(text, 'latin1'));
  }

  /** Resolves when `wanted` appears after the previous match. */
  async until(wanted: string): Promise<void> {
    await eventually(() => {
      const at = this.#text.indexOf(wanted, this.#seen);
      if (at === -1) throw new Error(`"${wanted}" has not come; what has: ${this.#text.slice(this.#seen)}`);
      this.#seen = at + wanted.length;
    });
  }

  /** Types a line repeatedly until `wanted` appears: input before the guest has booted is lost. */
  async typeUntil(line: string, wanted: string): Promise<void> {
    await eventually(async () => {
      this.type(line);
      await eventually(
        () => {
          if (!this.#text.includes(wanted, this.#seen)) throw new Error(`"${wanted}" has not come`);
        },
        { timeout: 1_000 },
      );
    });
    await this.until(wanted);
  }

  close(): void {
    this.#line?.close();
    this.#vm.stop();
    this.#vmi.stop();
  }
}
