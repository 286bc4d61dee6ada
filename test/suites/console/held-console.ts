import type { ObjectRef } from '@groundcrew/controller-runtime';
import type { SerialLine } from '../../../protocols/machine/index.ts';
import { KubeVirtConsole } from '../../../agent/bmc/kubevirt/console/kubevirt-console.ts';
import { type Cluster, eventually } from '../../harness/index.ts';
import { AgentView } from './agent-view.ts';

/** An agent's connection to the console of a VM, with the permissions of a service account, and its user. */
export class HeldConsole {
  readonly #view: AgentView;
  readonly #console: KubeVirtConsole;
  #line: SerialLine | undefined;
  #text = '';
  #seen = 0;

  private constructor(view: AgentView) {
    this.#view = view;
    this.#console = new KubeVirtConsole(view.options);
    view.onChange = () => {
      this.#console.follow();
    };
  }

  static async open(cluster: Cluster, account: Required<ObjectRef>, vm: Required<ObjectRef>): Promise<HeldConsole> {
    const held = new HeldConsole(await AgentView.of(cluster, account, vm));
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
    this.#view.stop();
  }
}
