import type { Accounts } from '../../accounts.ts';
import type { Machine, Requester } from '../../machine/index.ts';
import type { DeviceInfo } from '../device-info.ts';
import type { Login15 } from '../ipmi15/login15.ts';
import type { Privilege } from '../message/privilege.ts';
import type { Peer } from '../peer.ts';
import type { CipherSuiteId } from '../rmcpplus/cipher-suite.ts';
import type { LockoutPolicy } from '../../logins/index.ts';
import type { Session } from '../session/session.ts';
import type { SessionTable } from '../session/session-table.ts';
import type { SettingsStore } from '../settings.ts';
import type { SerialOverLan, SolConfiguration } from '../sol/index.ts';
import type { BmcParts } from './bmc-parts.ts';
import type { Reservation } from './reservation.ts';

/** What commands work on. */
export interface Bmc extends BmcParts {
  readonly machine: Machine;
  readonly deviceInfo: DeviceInfo;
  readonly cipherSuites: readonly CipherSuiteId[];
  readonly sessions: SessionTable;
  /** Of the event log and of the SDR repository, IPMI 2.0 §31.4 and §33.11. */
  readonly reservations: { readonly sel: Reservation; readonly sdr: Reservation };
  /** 16 bytes as they stand on the wire; all zero while unknown. */
  guid(): Buffer;
  /** The same, of the BMC itself. */
  deviceGuid(): Buffer;
  /** Whether the owner set a K_G, which clients have to know then. */
  hasBmcKey(): boolean;
  readonly accounts: Accounts;
  readonly lockout: LockoutPolicy;
  /** Undefined where sessions of IPMI 1.5 are switched off. */
  readonly login15: Login15 | undefined;
  /** IPv4 address by which clients reach it; undefined while unknown. */
  lanAddress(): string | undefined;
  readonly settings: SettingsStore;
  /** Undefined where none is offered. */
  readonly sol: SerialOverLan | undefined;
  readonly solConfiguration: SolConfiguration;
  /** UDP port by which clients reach it. */
  payloadPort(): number;
  /** ms since 1970. */
  time(): number;
}

export interface CommandContext {
  readonly bmc: Bmc;
  readonly session: Session | undefined;
  /** Who sent the request. */
  readonly peer: Peer;
  /** ms, of the packet that brought the request. */
  readonly now: number;
}

export interface SessionCommandContext extends CommandContext {
  readonly session: Session;
  readonly requester: Requester;
}

/** The data of a response; the completion code is 0x00 unless the handler throws. */
export type CommandResult = Buffer | Promise<Buffer>;

interface CommandBase {
  /** The specification's name. */
  readonly name: string;
  readonly netFn: number;
  readonly command: number;
  /** Bytes of request data that are let through to the handler, at least and at most; others get 0xC7. */
  readonly requestLength: readonly [min: number, max: number];
  /** Whether twice is the same as once; where it is not, a retransmission gets the first answer again. */
  readonly repeatable: boolean;
}

/** A command that needs a session of at least `privilege`. */
export interface SessionCommand extends CommandBase {
  readonly privilege: Privilege;
  /** @throws CompletionError, MachineError */
  handle(request: Buffer, context: SessionCommandContext): CommandResult;
}

/** A command that anybody may send, in a session or outside of one. */
export interface PublicCommand extends CommandBase {
  readonly privilege: 'None';
  /** @throws CompletionError */
  handle(request: Buffer, context: CommandContext): Buffer;
}

/** One command of IPMI, in a file of its own and registered in `command-list.ts`. */
export type Command = SessionCommand | PublicCommand;
