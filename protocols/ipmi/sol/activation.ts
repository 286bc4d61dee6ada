import type { SerialLine } from '../../machine/index.ts';
import type { Session } from '../session/session.ts';
import { ShownOutput } from './shown-output.ts';
import { MAX_CHARACTERS, SOL_HEADER_LENGTH } from './sol-packet.ts';
import { ACCUMULATE_STEP, RETRY_STEP, type SolParameters } from './sol-configuration.ts';
import { TypedInput } from './typed-input.ts';

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
