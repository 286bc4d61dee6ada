import {
  MachineError,
  type SerialClosure,
  type SerialConsole,
  type SerialLine,
  type SerialListener,
} from '../../machine/index.ts';
import { type Answer, NO_ANSWER } from '../answer.ts';
import type { Schedule } from '../options.ts';
import type { PayloadHandler } from '../payload-handler.ts';
import type { Peer } from '../peer.ts';
import { PAYLOAD_TYPE } from '../rmcpplus/payload-type.ts';
import type { Session } from '../session/session.ts';
import { Activation } from './activation.ts';
import { type ConsolePacket, decodeConsolePacket, encodeBmcPacket } from './sol-packet.ts';
import type { SolParameters } from './sol-parameters.ts';

export interface SerialOverLanOptions {
  console: SerialConsole;
  /** As they are now; an activation keeps those that it began with. */
  parameters: () => SolParameters;
  outbox: (datagram: Buffer, peer: Peer) => void;
  schedule: Schedule;
  /** ms of the clock that packets are received by. */
  now: () => number;
  /** A session has it from now on, or no longer. */
  onChange?: (session: Session, isActive: boolean) => void;
}

const ENDINGS: Readonly<Record<SerialClosure, string>> = {
  TakenOver: 'another client of this BMC has the console now',
  Off: 'the machine is off',
  Unavailable: 'the console of the machine is not available',
};

/**
 * Joins the machine's serial line and the one session that has activated the payload, IPMI 2.0 §15. The line is held from the
 * activation to its end, and not in between.
 */
export class SerialOverLan implements PayloadHandler {
  readonly #options: SerialOverLanOptions;
  #active: Activation | undefined;

  constructor(options: SerialOverLanOptions) {
    this.#options = options;
  }

  /** The session that has it. */
  get owner(): Session | undefined {
    return this.#active?.session;
  }

  /** Gives it to a session; ask first that nobody has it. @throws MachineError where there is no line to be had */
  async activate(session: Session): Promise<void> {
    const activation = new Activation(session, this.#options.parameters());
    this.#active = activation;
    let line: SerialLine;
    try {
      line = await this.#options.console.open(this.#listenerOf(activation));
    } catch (error) {
      if (this.#active === activation) this.#active = undefined;
      throw error;
    }
    if (this.#active !== activation) {
      line.close();
      throw new MachineError('Unavailable', 'the console was lost while it was opened');
    }
    activation.line = line;
    this.#options.onChange?.(session, true);
    this.#runLater(activation);
  }

  /** Takes it from whoever has it; `by` somebody else, that session is told who. */
  deactivate(by: Session): void {
    const activation = this.#active;
    if (activation === undefined) return;
    if (activation.session === by) this.#end(activation);
    else this.#endTelling(activation, `${by.user} has ended serial over LAN`);
  }

  /** Takes it from whoever has it, who is told so. */
  revoke(): void {
    if (this.#active !== undefined) this.#endTelling(this.#active, 'serial over LAN has been switched off');
  }

  receive(session: Session, payload: Buffer, now: number): Answer {
    const packet = decodeConsolePacket(payload);
    const activation = this.#active;
    if (activation?.session !== session) return inactive(session, packet);
    const datagrams: Buffer[] = [];
    this.#receive(activation, packet, now, (datagram) => datagrams.push(datagram));
    return datagrams;
  }

  sessionEnded(session: Session): void {
    if (this.#active?.session === session) this.#end(this.#active);
  }

  #receive(activation: Activation, packet: ConsolePacket, now: number, send: (datagram: Buffer) => void): void {
    const { session, input, output, line } = activation;
    output.hold(packet.holdOutput);
    if (packet.flushOutput) output.flush();
    output.acknowledge(packet, now);
    // Until the line is open there is no answer, and what was typed comes again.
    const receipt = packet.sequence === 0 || line === undefined ? undefined : input.receive(packet);
    if (receipt !== undefined) {
      send(session.channel.seal(PAYLOAD_TYPE.sol, receipt.answer));
      if (packet.break && receipt.isFresh) tellOfBreak(activation, now);
      if (receipt.characters.length > 0 && line?.write(receipt.characters) === false) input.block();
    }
    this.#run(activation, now, send);
  }

  #listenerOf(activation: Activation): SerialListener {
    return {
      received: (data) => {
        if (this.#active !== activation) return;
        activation.output.push(data, this.#options.now());
        this.#runUnasked(activation);
      },
      drained: () => {
        if (this.#active !== activation) return;
        const resume = activation.input.unblock();
        if (resume !== undefined) this.#send(activation, resume);
      },
      closed: (reason) => {
        if (this.#active === activation) this.#endTelling(activation, ENDINGS[reason]);
      },
    };
  }

  #runUnasked(activation: Activation): void {
    const { session } = activation;
    this.#run(activation, this.#options.now(), (datagram) => {
      this.#options.outbox(datagram, session.peer);
    });
  }

  /** Sends what is to be sent now, and sees to it that it runs again when more of it is. */
  #run(activation: Activation, now: number, send: (datagram: Buffer) => void): void {
    const { session, output, line } = activation;
    // Its client hears of the activation before it hears from the machine.
    if (line === undefined || this.#active !== activation) return;
    for (let packet = output.next(now); packet !== undefined; packet = output.next(now)) {
      send(session.channel.seal(PAYLOAD_TYPE.sol, packet));
    }
    if (output.isFull !== activation.isPaused) {
      activation.isPaused = output.isFull;
      if (output.isFull) line.pause();
      else line.resume();
    }
    this.#runLater(activation, output.due(now) ?? Infinity, now);
  }

  #runLater(activation: Activation, at = 0, now = 0): void {
    activation.cancel?.();
    activation.cancel = undefined;
    if (at === Infinity) return;
    activation.cancel = this.#options.schedule(
      () => {
        activation.cancel = undefined;
        if (this.#active === activation) this.#runUnasked(activation);
      },
      // Timers may be early by a fraction of a millisecond.
      Math.max(0, Math.ceil(at - now)),
    );
  }

  #send({ session }: Activation, packet: Buffer): void {
    this.#options.outbox(session.channel.seal(PAYLOAD_TYPE.sol, packet), session.peer);
  }

  /** Says it in words too: ipmitool shows no sign of the bit. */
  #endTelling(activation: Activation, why: string): void {
    this.#end(activation);
    if (!activation.session.isOpen) return;
    this.#send(activation, activation.output.farewell(notice(why)));
  }

  #end(activation: Activation): void {
    this.#active = undefined;
    activation.cancel?.();
    if (activation.line === undefined) return;
    activation.line.close();
    this.#options.onChange?.(activation.session, false);
  }
}

/** KubeVirt's console carries bytes and nothing else. */
function tellOfBreak(activation: Activation, now: number): void {
  if (activation.knowsOfBreak) return;
  activation.knowsOfBreak = true;
  activation.output.push(notice('this machine takes no break'), now);
}

/** A line of the BMC's own in the machine's output. */
function notice(text: string): Buffer {
  return Buffer.from(`\r\n[${text}]\r\n`);
}

/** §15.9: one that types where serial over LAN has ended is told so. */
function inactive({ channel }: Session, { sequence }: ConsolePacket): Answer {
  if (sequence === 0) return NO_ANSWER;
  const packet = encodeBmcPacket({ acknowledged: sequence, nack: true, deactivating: true });
  return [channel.seal(PAYLOAD_TYPE.sol, packet)];
}
