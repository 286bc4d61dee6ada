import type { Clock, ObjectRef } from '@groundcrew/controller-runtime';
import {
  MachineError,
  type SerialConsole,
  type SerialLine,
  type SerialListener,
} from '../../../../protocols/machine/index.ts';
import type { MachinePair } from '../machine-objects.ts';
import { ConsoleLine } from './console-line.ts';
import type { OpenConsoleSocket } from './console-socket.ts';

export interface KubeVirtConsoleOptions {
  vm: Required<ObjectRef>;
  open: OpenConsoleSocket;
  /** VM and VMI from the watch caches; undefined before the first sync. */
  cached: () => MachinePair | undefined;
  clock: Clock;
  /** Cryptographically secure bytes. */
  random: (size: number) => Buffer;
}

/**
 * The serial console of a KubeVirt virtual machine. Connects only while a client has the line open. KubeVirt's console
 * carries only bytes: no break, no modem lines, no speed.
 */
export class KubeVirtConsole implements SerialConsole {
  readonly #options: KubeVirtConsoleOptions;
  #line: ConsoleLine | undefined;

  constructor(options: KubeVirtConsoleOptions) {
    this.#options = options;
  }

  /** Call after every change of the VMI. */
  follow(): void {
    this.#line?.follow();
  }

  get isOpen(): boolean {
    return this.#line?.isClosed === false;
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async open(listener: SerialListener): Promise<SerialLine> {
    const { vm, open, cached, clock, random } = this.#options;
    const pair = cached();
    if (pair === undefined) throw new MachineError('Unavailable', 'the Kubernetes API has not answered yet');
    const { domain } = pair.vmi?.spec ?? pair.vm?.spec.template.spec ?? {};
    if (domain?.devices.autoattachSerialConsole === false) {
      throw new MachineError(
        'NotSupported',
        'the virtual machine has no serial console (autoattachSerialConsole: false)',
      );
    }
    this.#line?.supersede();
    const line = new ConsoleLine({
      ...{ listener, clock },
      open: (events) => open(vm, 'console', events),
      instance: () => cached()?.vmi,
      random: () => random(4).readUInt32LE(0) / 2 ** 32,
    });
    this.#line = line;
    line.start();
    return line;
  }
}
