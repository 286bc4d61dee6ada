import type { Peer } from './peer.ts';
import type { PacketErrorCode } from './packet-error.ts';
import type { CipherSuiteId } from './rmcpplus/cipher-suite.ts';
import type { SessionEnd } from './session/session-table.ts';

/**
 * - `UnknownUser`: no such name, or nobody can log in at all.
 * - `WrongPassword`: the client's proof is wrong, or it gave up on seeing ours, which does not fit its password. ipmitool falls
 *   silent then, so that this is told only when the handshake's time is over.
 * - `PrivilegeTooHigh`: more than the user may have, or no privilege level at all.
 * - `NoSlot`: all sessions are taken.
 * - `LockedOut`: wrong passwords came before from the same source, so that this one was not even looked at.
 */
export type LoginFailure = 'UnknownUser' | 'WrongPassword' | 'PrivilegeTooHigh' | 'NoSlot' | 'LockedOut';

export interface Login {
  /** Printable ASCII; other characters of the name show as `?`. Chosen by the client, so anything may stand here. */
  user: string;
  peer: Peer;
  /** Undefined in IPMI 1.5, which has none. */
  cipherSuite: CipherSuiteId | undefined;
}

export interface CompletedCommand {
  /** The specification's name of the command; undefined for one that this BMC does not have. */
  name: string | undefined;
  netFn: number;
  command: number;
  completionCode: number;
  /** Empty outside of a session. */
  user: string;
  peer: Peer;
  /** What led to a completion code other than 0x00; for logs. */
  error?: unknown;
}

/**
 * What a BMC has to tell: logs, metrics and Events hang on here. Functions are called in the middle of a packet, so they
 * return at once and do not throw. Nothing secret is ever passed.
 */
export interface IpmiObserver {
  loginSucceeded?(login: Login): void;
  loginFailed?(login: Login, reason: LoginFailure): void;
  sessionEnded?(session: { user: string; peer: Peer }, reason: SessionEnd): void;
  /** Somebody sits at the machine's console from now on, or no longer. */
  consoleChanged?(session: { user: string; peer: Peer }, isOpen: boolean): void;
  commandCompleted?(command: CompletedCommand): void;
  packetDropped?(peer: Peer, reason: PacketErrorCode, detail: string): void;
  /** Something failed that should not; the packet at hand was dropped and the BMC goes on. */
  failed?(error: unknown, activity: string): void;
}
