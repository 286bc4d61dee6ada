import type { Answer } from './datagram.ts';
import type { Session } from './session/session.ts';
import type { SessionEnd } from './session/session-table.ts';

/** Handles the session payloads of one type. */
export interface PayloadHandler {
  /**
   * @param payload decrypted and authenticated; a handler that keeps it copies it, because it is a part of Node's pool of buffers
   * @param now ms of a monotonic clock
   * @returns the datagrams to send back, sealed by `session.channel`
   * @throws PacketError for no answer
   */
  receive(session: Session, payload: Buffer, now: number): Answer;
  /** The session has ended: nothing can be sent in it. */
  sessionEnded?(session: Session, reason: SessionEnd): void;
}
