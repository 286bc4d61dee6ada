import type { Peer } from './datagram.ts';
import type { PacketErrorCode } from './packet-error.ts';
import type { CipherSuiteId } from './rmcpplus/cipher-suite.ts';
import type { SessionEnd } from './session/session-table.ts';

/**
 * - `UnknownUser`: the name is unknown, or log-ins are impossible.
 * - `WrongPassword`: the client's code is wrong, or the client stopped after RAKP 2 because its own password does not match.
 * ipmitool then sends nothing more, so this is reported at the timeout of the handshake.
 * - `PrivilegeTooHigh`: above the user's limit, or not a privilege level.
 * - `NoSlot`: all sessions are in use.
 * - `LockedOut`: refused without a check, after wrong passwords from the same source.
 */
export type LoginFailure = 'UnknownUser' | 'WrongPassword' | 'PrivilegeTooHigh' | 'NoSlot' | 'LockedOut';

export interface Login {
  /** Printable ASCII; other characters become `?`. Chosen by the client, so not trustworthy. */
  user: string;
  peer: Peer;
  /** Undefined in IPMI 1.5. */
  cipherSuite: CipherSuiteId | undefined;
}

export interface CompletedCommand {
  /** Name of the command in the specification; undefined for an unsupported command. */
  name: string | undefined;
  netFn: number;
  command: number;
  completionCode: number;
  /** Empty without a session. */
  user: string;
  peer: Peer;
  /** Cause of a completion code other than 0x00; for logs. */
  error?: unknown;
}

/**
 * Events of a BMC, for logs, metrics and audit events. Functions are called while a packet is handled: they must return at once
 * and not throw. Arguments never contain secrets.
 */
export interface IpmiObserver {
  loginSucceeded?(login: Login): void;
  loginFailed?(login: Login, reason: LoginFailure): void;
  sessionEnded?(session: { user: string; peer: Peer }, reason: SessionEnd): void;
  /** A session has activated or deactivated serial over LAN. */
  consoleChanged?(session: { user: string; peer: Peer }, isOpen: boolean): void;
  commandCompleted?(command: CompletedCommand): void;
  packetDropped?(peer: Peer, reason: PacketErrorCode, detail: string): void;
  /** An unexpected error; the packet was dropped and the BMC continues. */
  failed?(error: unknown, activity: string): void;
}
