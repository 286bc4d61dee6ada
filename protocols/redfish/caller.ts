import type { Account } from '../accounts.ts';
import type { Requester } from '../machine/index.ts';

/** Who asks, once that is known. */
export interface Caller {
  readonly account: Account;
  /** ID of the session, where there is one; undefined: Basic authentication. */
  readonly session?: string;
  /** For the machine, its event log and its Events. */
  readonly requester: Requester;
  /** It may do nothing else before. */
  readonly mustChangePassword?: boolean;
}
