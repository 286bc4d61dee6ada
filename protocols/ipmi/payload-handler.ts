import type { Answer } from './answer.ts';
import type { Session } from './session/session.ts';
import type { SessionEnd } from './session/session-table.ts';

/** Takes the payloads of one type that arrive in sessions. */
export interface PayloadHandler {
  /**
   * @param payload clear, and proved to come from the client; it may be kept
   * @param now ms of a clock that never goes back
   * @returns what is to be sent back at once, sealed by `session.channel`
   * @throws PacketError for what gets no answer
   */
  receive(session: Session, payload: Buffer, now: number): Answer;
  /** The session is over: nothing can be sent in it any more. */
  sessionEnded?(session: Session, reason: SessionEnd): void;
}
