import type { VirtualMachineInstance } from '../../../api/index.ts';
import { TransportError } from '@groundcrew/controller-runtime';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import type { DisplayLine, SerialLine } from '../../../protocols/machine/index.ts';
import { aVm, aVmi } from './builders.ts';
import type { ConsoleSocket, ConsoleSocketListener } from '../kubevirt/console/console-socket.ts';
import { KubeVirtConsole } from '../kubevirt/console/kubevirt-console.ts';
import { KubeVirtDisplay } from '../kubevirt/console/kubevirt-display.ts';

/** The server side of one connection. */
class TestSocket implements ConsoleSocket {
  readonly listener: ConsoleSocketListener;
  sent = '';
  buffered = 0;
  isPaused = true;
  isClosed = false;

  constructor(listener: ConsoleSocketListener) {
    this.listener = listener;
  }

  send(data: Buffer): void {
    this.sent += data.toString('latin1');
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(): void {
    this.isClosed = true;
  }

  say(text: string): void {
    this.listener.received(Buffer.from(text, 'latin1'));
  }
}

/** The consoles of a VM with simulated KubeVirt and watch. */
class VmBench {
  readonly clock = new FakeClock();
  readonly sockets: TestSocket[] = [];
  vmi: VirtualMachineInstance | undefined = onNode('node-1');
  vm = aVm();
  /** While set, thrown by each attempt to connect. */
  refusal: Error | undefined;
  attempts = 0;
  readonly #follow: () => void;

  constructor(follow: () => void) {
    this.#follow = follow;
  }

  /** The latest connection. */
  get socket(): TestSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('no client has connected');
    return socket;
  }

  /** Options of a console. */
  get options(): ConstructorParameters<typeof KubeVirtConsole>[0] {
    return {
      vm: { namespace: 'vms', name: 'a' },
      open: (_vm, _subresource, listener) => {
        this.attempts += 1;
        if (this.refusal !== undefined) return Promise.reject(this.refusal);
        const socket = new TestSocket(listener);
        this.sockets.push(socket);
        return Promise.resolve(socket);
      },
      cached: () => ({ vm: this.vm, vmi: this.vmi }),
      clock: this.clock,
      random: (size) => Buffer.alloc(size, 0x80),
    };
  }

  /** Delivers the VMI through the watch. */
  async see(vmi: VirtualMachineInstance | undefined): Promise<void> {
    this.vmi = vmi;
    this.#follow();
    await this.clock.advance(0);
  }
}

/** A VM's serial console and its client. */
export class ConsoleBench extends VmBench {
  shown = '';
  drained = 0;
  closed: string | undefined;
  readonly console = new KubeVirtConsole(this.options);

  constructor() {
    super(() => {
      this.console.follow();
    });
  }

  async open(): Promise<SerialLine> {
    const line = await this.console.open({
      received: (data) => (this.shown += data.toString('latin1')),
      drained: () => (this.drained += 1),
      closed: (reason) => (this.closed = reason),
    });
    await this.clock.advance(0);
    return line;
  }
}

/** A VM's screen and its client. */
export class DisplayBench extends VmBench {
  /** What the client was told. */
  readonly told: string[] = [];
  /** The answer to a request for a picture; an Error is thrown. */
  answer: () => Promise<Buffer> = () => Promise.reject(new Error('not asked here'));
  pictures = 0;
  readonly display = new KubeVirtDisplay({
    ...this.options,
    client: {
      bytes: async ({ path, signal }) => {
        this.pictures += 1;
        this.told.push(path);
        const { promise: aborted, reject } = Promise.withResolvers<never>();
        signal?.addEventListener('abort', () => {
          reject(new TransportError('aborted'));
        });
        return await Promise.race([this.answer(), aborted]);
      },
    },
  });

  constructor() {
    super(() => {
      this.display.follow();
    });
  }

  async open(): Promise<DisplayLine> {
    const line = await this.display.open({
      opened: () => this.told.push('opened'),
      received: (data) => this.told.push(`received ${data.toString('latin1')}`),
      interrupted: ({ kind, message }) => this.told.push(`${kind}: ${message}`),
    });
    await this.clock.advance(0);
    return line;
  }
}

/** The VMI `vms/a` on a node. */
export function onNode(
  nodeName: string,
  parts: Parameters<typeof aVmi>[0] & { migrating?: boolean } = {},
): VirtualMachineInstance {
  const vmi = aVmi(parts);
  return {
    ...vmi,
    status: { ...vmi.status, nodeName, ...(parts.migrating === true && { migrationState: { completed: false } }) },
  };
}
