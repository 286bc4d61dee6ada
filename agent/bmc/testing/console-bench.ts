import type { VirtualMachineInstance } from '../../../api/index.ts';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import type { SerialLine } from '../../../protocols/machine/index.ts';
import { aVm, aVmi } from './builders.ts';
import type { ConsoleSocket, ConsoleSocketListener } from '../kubevirt/console/console-socket.ts';
import { KubeVirtConsole } from '../kubevirt/console/kubevirt-console.ts';

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

/** A VM's console with simulated KubeVirt, watch and client. */
export class ConsoleBench {
  readonly clock = new FakeClock();
  readonly sockets: TestSocket[] = [];
  vmi: VirtualMachineInstance | undefined = onNode('node-1');
  vm = aVm();
  /** While set, thrown by each attempt to connect. */
  refusal: Error | undefined;
  attempts = 0;
  shown = '';
  drained = 0;
  closed: string | undefined;
  readonly console = new KubeVirtConsole({
    vm: { namespace: 'vms', name: 'a' },
    open: (_vm, listener) => {
      this.attempts += 1;
      if (this.refusal !== undefined) return Promise.reject(this.refusal);
      const socket = new TestSocket(listener);
      this.sockets.push(socket);
      return Promise.resolve(socket);
    },
    cached: () => ({ vm: this.vm, vmi: this.vmi }),
    clock: this.clock,
    random: (size) => Buffer.alloc(size, 0x80),
  });

  /** The latest connection. */
  get socket(): TestSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('no client has connected');
    return socket;
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

  /** Delivers the VMI through the watch. */
  async see(vmi: VirtualMachineInstance | undefined): Promise<void> {
    this.vmi = vmi;
    this.console.follow();
    await this.clock.advance(0);
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
