import {
  MachineError,
  type SerialClosure,
  type SerialConsole,
  type SerialLine,
  type SerialListener,
} from '../../machine/index.ts';
import { type Answer, NO_ANSWER, type Peer } from '../datagram.ts';
import type { Schedule } from '../options.ts';
import type { PayloadHandler } from '../payload-handler.ts';
import { PAYLOAD_TYPE } from '../rmcpplus/packet.ts';
import type { Session } from '../session/session.ts';
import { ShownOutput } from './shown-output.ts';
import { ACCUMULATE_STEP, RETRY_STEP, type SolParameters } from './sol-configuration.ts';
import {
  type ConsolePacket,
  decodeConsolePacket,
  encodeBmcPacket,
  MAX_CHARACTERS,
  SOL_HEADER_LENGTH,
} from './sol-packet.ts';
import { TypedInput } from './typed-input.ts';

export interface SerialOverLanOptions {
  console: SerialConsole;
  /** The current parameters; an activation keeps those of its start. */
  parameters: () => SolParameters;
  outbox: (datagram: Buffer, peer: Peer) => void;
  schedule: Schedule;
  /** ms of the clock that received packets use. */
  now: () => number;
  /** A session has activated or lost it. */
  onChange?: (session: Session, isActive: boolean) => void;
}

const ENDINGS: Readonly<Record<SerialClosure, string>> = {
  TakenOver: 'another client of this BMC has opened the console',
  Off: 'the machine is off',
  Unavailable: 'the console of the machine is not available',
};

/**
 * Connects the machine's serial line to the session that activated the payload, IPMI 2.0 §15. The line is held from activation to
 * deactivation.
 */
export class SerialOverLan implements PayloadHandler {
  readonly #options: SerialOverLanOptions;
  #active: Activation | undefined;

  constructor(options: SerialOverLanOptions) {
    this.#options = options;
  }

  /** The session that has activated it. */
  get owner(): Session | undefined {
    return this.#active?.session;
  }

  /** Activates it for a session; check first that it is free. @throws MachineError if the line is not available */
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

  /** Deactivates it. If `by` is another session, the owner gets a notice with the user name. */
  deactivate(by: Session): void {
    const activation = this.#active;
    if (activation === undefined) return;
    if (activation.session === by) this.#end(activation);
    else this.#endTelling(activation, `${by.user} has ended serial over LAN`);
  }

  /** Deactivates it with a notice to the owner. */
  revoke(why = 'serial over LAN has been switched off'): void {
    if (this.#active !== undefined) this.#endTelling(this.#active, why);
  }

  /** Shows the owner a notice, and goes on. */
  announce(text: string): void {
    const activation = this.#active;
    if (activation === undefined) return;
    activation.output.push(notice(text), this.#options.now());
    this.#runUnasked(activation);
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
    // Until the line is open there is no answer, and the console retransmits its input.
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

  /** Sends the packets that are due, and schedules the next run. */
  #run(activation: Activation, now: number, send: (datagram: Buffer) => void): void {
    const { session, output, line } = activation;
    // The client must get the response to the activation before any output.
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

  /** Also sends a text notice: ipmitool does not show the status bit. */
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

/** The console of the hypervisor transfers only bytes, no break. */
function tellOfBreak(activation: Activation, now: number): void {
  if (activation.knowsOfBreak) return;
  activation.knowsOfBreak = true;
  activation.output.push(notice('this machine does not support break'), now);
}

/** A line from the BMC within the machine's output. */
function notice(text: string): Buffer {
  return Buffer.from(`\r\n[${text}]\r\n`);
}

/** §15.9: input after the end of serial over LAN is answered with "deactivated". */
function inactive({ channel }: Session, { sequence }: ConsolePacket): Answer {
  if (sequence === 0) return NO_ANSWER;
  const packet = encodeBmcPacket({ acknowledged: sequence, nack: true, deactivating: true });
  return [channel.seal(PAYLOAD_TYPE.sol, packet)];
}

/**
 * Maximum payload size with header, in both directions. pyghmi uses it as a number of characters, and the accepted character count has
 * one byte.
 */
export const PAYLOAD_SIZE = MAX_CHARACTERS;

/** Serial over LAN of one session, from Activate Payload to its end. */
export class Activation {
  readonly session: Session;
  readonly input = new TypedInput();
  readonly output: ShownOutput;
  /** Undefined while it is being opened. */
  line: SerialLine | undefined;
  /** Whether the machine's output is paused. */
  isPaused = false;
  /** Whether the client was informed that break is not supported. */
  knowsOfBreak = false;
  /** Cancels the timer. */
  cancel: (() => void) | undefined;

  constructor(session: Session, parameters: SolParameters) {
    this.session = session;
    this.output = new ShownOutput({
      accumulate: parameters.accumulateInterval * ACCUMULATE_STEP,
      threshold: parameters.sendThreshold,
      retryCount: parameters.retryCount,
      retryInterval: parameters.retryInterval * RETRY_STEP,
      packetSize: PAYLOAD_SIZE - SOL_HEADER_LENGTH,
    });
  }
}
