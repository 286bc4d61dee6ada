import type { SerialLine } from '../../machine/index.ts';
import type { Session } from '../session/session.ts';
import { ShownOutput } from './shown-output.ts';
import { MAX_CHARACTERS, SOL_HEADER_LENGTH } from './sol-packet.ts';
import { ACCUMULATE_STEP, RETRY_STEP, type SolParameters } from './sol-parameters.ts';
import { TypedInput } from './typed-input.ts';

/**
 * Most bytes of a payload, header included, both ways. pyghmi takes it as a number of characters, and one byte counts those that
 * were accepted.
 */
export const PAYLOAD_SIZE = MAX_CHARACTERS;

/** Serial over LAN of one session, from Activate Payload until it ends. */
export class Activation {
  readonly session: Session;
  readonly input = new TypedInput();
  readonly output: ShownOutput;
  /** Undefined while it is being opened. */
  line: SerialLine | undefined;
  /** Whether the machine was asked to hold its output back. */
  isPaused = false;
  /** Whether the client was told that there is no break. */
  knowsOfBreak = false;
  /** Calls the timer off. */
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
