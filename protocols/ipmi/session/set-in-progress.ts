import { COMPLETION, CompletionError } from '../message/codes.ts';
import type { Session } from './session.ts';

/** Writes take effect at once, so commit does nothing; ipmitool sends it anyway. */
const STATE = { complete: 0, inProgress: 1, commit: 2 } as const;

/** Completion code of the commands that set numbered parameters. */
const SET_BY_ANOTHER = 0x81;

/**
 * "Set in progress", parameter 0 of the system info, LAN, SOL, boot option and PEF parameters (IPMI 2.0 §22.14a, §23.1, §26.2, §28.12,
 * §30.3): the session that is writing. It only prevents another session from starting to write; a session that ended releases it.
 */
export class SetInProgress {
  #writer: Session | undefined;

  /** The parameter's value: 0 set complete, 1 set in progress. */
  get state(): number {
    return this.#isHeld ? STATE.inProgress : STATE.complete;
  }

  /**
   * @param data the parameter's data
   * @throws CompletionError 0x81 while another session writes, 0xC7 for more or less than one byte, 0xCC for an invalid state
   */
  write(data: Buffer, session: Session): void {
    if (data.length !== 1) throw new CompletionError(COMPLETION.invalidLength, 'set in progress has 1 byte');
    const state = data.readUInt8(0);
    switch (state) {
      case STATE.complete:
        this.#writer = undefined;
        return;
      case STATE.inProgress:
        if (this.#isHeld && this.#writer !== session) {
          throw new CompletionError(SET_BY_ANOTHER, 'another session is setting parameters');
        }
        this.#writer = session;
        return;
      case STATE.commit:
        return;
      default:
        throw new CompletionError(COMPLETION.invalidField, `set in progress ${state}`);
    }
  }

  get #isHeld(): boolean {
    return this.#writer?.isOpen === true;
  }
}
