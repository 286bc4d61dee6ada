import type { Accounts } from '../../accounts.ts';
import type { LockoutPolicy } from '../../logins/index.ts';
import type { Machine, Requester } from '../../machine/index.ts';
import type { Peer } from '../datagram.ts';
import type { Login15 } from '../ipmi15/login15.ts';
import type { Privilege } from '../message/codes.ts';
import type { LanStatistics } from '../lan-statistics.ts';
import type { CipherSuiteId } from '../rmcpplus/cipher-suite.ts';
import type { SessionTable } from '../session/session-table.ts';
import type { Session } from '../session/session.ts';
import type { SettingsStore } from '../settings.ts';
import type { SerialOverLan } from '../sol/serial-over-lan.ts';
import type { SolConfiguration } from '../sol/sol-configuration.ts';
import type { BmcParts } from './bmc-parts.ts';
import type { DeviceInfo } from './device/get-device-id.ts';
import type { Reservation } from './reservation.ts';
import type { RecordIds } from './sel/record-id.ts';

/** The state that commands work on. */
export interface Bmc extends BmcParts {
  readonly machine: Machine;
  readonly deviceInfo: DeviceInfo;
  readonly cipherSuites: readonly CipherSuiteId[];
  readonly sessions: SessionTable;
  /** Reservations of the event log and the SDR repository, IPMI 2.0 §31.4 and §33.11. */
  readonly reservations: { readonly sel: Reservation; readonly sdr: Reservation };
  readonly recordIds: RecordIds;
  /** System GUID, 16 bytes in wire format; all zero while unknown. */
  guid(): Buffer;
  /** GUID of the BMC itself. */
  deviceGuid(): Buffer;
  /** Whether the owner set a K_G, which clients then need. */
  hasBmcKey(): boolean;
  readonly accounts: Accounts;
  readonly lockout: LockoutPolicy;
  /** Undefined if IPMI 1.5 sessions are disabled. */
  readonly login15: Login15 | undefined;
  /** IPv4 address for clients; undefined while unknown. */
  lanAddress(): string | undefined;
  readonly settings: SettingsStore;
  /** Undefined if disabled. */
  readonly sol: SerialOverLan | undefined;
  readonly solConfiguration: SolConfiguration;
  /** UDP port for clients. */
  payloadPort(): number;
  readonly statistics: LanStatistics;
  /** ms since 1970. */
  time(): number;
}

export interface CommandContext {
  readonly bmc: Bmc;
  readonly session: Session | undefined;
  /** Sender of the request. */
  readonly peer: Peer;
  /** ms; arrival of the request. */
  readonly now: number;
}

export interface SessionCommandContext extends CommandContext {
  readonly session: Session;
  readonly requester: Requester;
}

/** The response data, undefined for none; the completion code is 0x00 unless the handler throws. */
export type CommandResult = Buffer | undefined | Promise<Buffer | undefined>;

interface CommandBase {
  /** Name in the specification. */
  readonly name: string;
  readonly netFn: number;
  readonly command: number;
  /** Minimum and maximum request data bytes; other lengths get 0xC7. */
  readonly requestLength: readonly [min: number, max: number];
  /** Whether repeated execution is harmless; otherwise a retransmission gets the stored response. */
  readonly repeatable: boolean;
  /** Executed at once, also while other requests of its session wait. */
  readonly isUrgent?: boolean;
}

/** A command that requires a session with at least `privilege`. */
export interface SessionCommand extends CommandBase {
  readonly privilege: Privilege;
  /** @throws CompletionError, MachineError */
  handle(request: Buffer, context: SessionCommandContext): CommandResult;
}

/** A command that works with or without a session. */
export interface PublicCommand extends CommandBase {
  readonly privilege: 'None';
  /** @throws CompletionError */
  handle(request: Buffer, context: CommandContext): Buffer;
}

/** An IPMI command, registered in `command-list.ts`. */
export type Command = SessionCommand | PublicCommand;

/** Refreshes the machine's power state if it is too old, then answers with `read`; synchronously if no refresh is needed. */
export function refreshed(machine: Pick<Machine, 'refresh'>, read: () => Buffer | undefined): CommandResult {
  return machine.refresh()?.then(read) ?? read();
}
