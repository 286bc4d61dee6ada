import type { Account } from '../accounts.ts';
import type { Requester } from '../machine/index.ts';

/** The authenticated caller of a request. */
export interface Caller {
  readonly account: Account;
  /** Session ID; undefined: Basic authentication. */
  readonly session?: string;
  /** For the machine, its event log and its Kubernetes Events. */
  readonly requester: Requester;
  /** All other operations are refused until the password is changed. */
  readonly mustChangePassword?: boolean;
}
