import { consolePath } from '../../../../api/index.ts';
import { ApiError, type Clock, type KubeClient, type ObjectRef, TransportError } from '@groundcrew/controller-runtime';
import {
  type Display,
  type DisplayLine,
  type DisplayListener,
  MachineError,
} from '../../../../protocols/machine/index.ts';
import type { MachinePair } from '../machine-objects.ts';
import type { OpenConsoleSocket } from './console-socket.ts';
import { HeldConnection } from './held-connection.ts';

export interface KubeVirtDisplayOptions {
  vm: Required<ObjectRef>;
  open: OpenConsoleSocket;
  client: Pick<KubeClient, 'bytes'>;
  /** VM and VMI from the watch caches; undefined before the first sync. */
  cached: () => MachinePair | undefined;
  clock: Clock;
  /** Cryptographically secure bytes. */
  random: (size: number) => Buffer;
}

/** ms for KubeVirt to make a picture. */
const SCREENSHOT_TIME = 10_000;
/** Bytes of a picture. */
const MOST_PICTURE = 16 * 1024 * 1024;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * The screen of a KubeVirt virtual machine: its subresources `vnc` and `vnc/screenshot`. Connects only while a client has the line open.
 * A screenshot does not disturb it: KubeVirt takes it by libvirt.
 */
export class KubeVirtDisplay implements Display {
  readonly #options: KubeVirtDisplayOptions;
  #line: HeldConnection | undefined;

  constructor(options: KubeVirtDisplayOptions) {
    this.#options = options;
  }

  /** Call after every change of the VMI. */
  follow(): void {
    this.#line?.follow();
  }

  isPresent(): boolean | undefined {
    const pair = this.#options.cached();
    const spec = pair?.vmi?.spec ?? pair?.vm?.spec.template.spec;
    return spec && spec.domain.devices.autoattachGraphicsDevice !== false;
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async open(listener: DisplayListener): Promise<DisplayLine> {
    this.#admit();
    const { vm, open, cached, clock, random } = this.#options;
    this.#line?.close();
    const line = new HeldConnection({
      noun: 'screen',
      open: (events) => open(vm, 'vnc', events),
      listener: {
        opened: () => {
          listener.opened();
        },
        received: (data) => {
          listener.received(data);
        },
        written: () => undefined,
        interrupted: (gap, isNews) => {
          if (isNews) listener.interrupted(gap);
        },
      },
      instance: () => cached()?.vmi,
      clock,
      random: () => random(4).readUInt32LE(0) / 2 ** 32,
    });
    this.#line = line;
    line.start();
    return {
      write: (data) => line.socket?.send(data),
      get buffered() {
        return line.socket?.buffered ?? 0;
      },
      pause: () => {
        line.pause();
      },
      resume: () => {
        line.resume();
      },
      take: () => {
        line.takeBack();
      },
      restart: () => {
        line.restart();
      },
      close: () => {
        line.close();
      },
    };
  }

  async screenshot(): Promise<Buffer> {
    this.#admit();
    if (!this.#isRunning()) throw off();
    const { vm, client, clock } = this.#options;
    const late = new AbortController();
    const timer = clock.setTimeout(() => {
      late.abort();
    }, SCREENSHOT_TIME);
    const path = consolePath(vm.namespace, vm.name, 'vnc/screenshot');
    try {
      const picture = await client.bytes({ path, signal: late.signal }, MOST_PICTURE);
      if (picture.subarray(0, PNG.length).equals(PNG)) return picture;
      throw new MachineError('Unavailable', 'KubeVirt has answered something that is not a PNG');
    } catch (error) {
      if (late.signal.aborted) {
        const message = `KubeVirt has not made the picture within ${SCREENSHOT_TIME / 1000} s`;
        throw new MachineError('Timeout', message, { cause: error });
      }
      throw this.#refusal(error);
    } finally {
      timer.cancel();
    }
  }

  /** virt-api answers every error of its validation with 500 and plain text, and a missing permission of its own with 401. */
  #refusal(cause: unknown): unknown {
    if (cause instanceof TransportError) return new MachineError('Unavailable', cause.message, { cause });
    if (!(cause instanceof ApiError)) return cause;
    const { status, serverMessage } = cause;
    if (status === 401 || status === 403) {
      return new MachineError('Forbidden', `the BMC may not look at the screen: ${serverMessage}`, { cause });
    }
    const isOff = status === 404 || / is not running|not found|does not exist/i.test(serverMessage);
    if (isOff || !this.#isRunning()) return off(cause);
    if (serverMessage.includes('No graphics devices')) return absent(cause);
    if (status === 429) return new MachineError('Busy', 'the Kubernetes API is overloaded; try again', { cause });
    return new MachineError('Unavailable', `KubeVirt has not made the picture: ${serverMessage}`, { cause });
  }

  /** @throws MachineError */
  #admit(): void {
    if (this.#options.cached() === undefined) {
      throw new MachineError('Unavailable', 'the Kubernetes API has not answered yet');
    }
    if (this.isPresent() === false) throw absent();
  }

  #isRunning(): boolean {
    return this.#options.cached()?.vmi?.status?.phase === 'Running';
  }
}

function off(cause?: unknown): MachineError {
  return new MachineError('InvalidState', 'the machine is off: there is no picture', { cause });
}

function absent(cause?: unknown): MachineError {
  const message = 'the virtual machine has no graphics device (autoattachGraphicsDevice: false)';
  return new MachineError('NotSupported', message, { cause });
}
