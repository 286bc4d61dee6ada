import type { Accounts } from '../../accounts.ts';
import type { Machine, Requester } from '../../machine/index.ts';
import type { DeviceInfo } from '../device-info.ts';
import type { Privilege } from '../message/privilege.ts';
import type { CipherSuiteId } from '../rmcpplus/cipher-suite.ts';
import type { Session } from '../session/session.ts';
import type { SessionTable } from '../session/session-table.ts';
import type { SettingsStore } from '../settings.ts';
import type { BootOptions } from './chassis/boot-options.ts';

/** What commands work on. */
export interface Bmc {
  readonly machine: Machine;
  readonly deviceInfo: DeviceInfo;
  readonly cipherSuites: readonly CipherSuiteId[];
  readonly sessions: SessionTable;
  readonly bootOptions: BootOptions;
  /** 16 bytes as they stand on the wire; all zero while unknown. */
  guid(): Buffer;
  /** Whether the owner set a K_G, which clients have to know then. */
  hasBmcKey(): boolean;
  readonly accounts: Accounts;
  readonly settings: SettingsStore;
  /** ms since 1970. */
  time(): number;
}

export interface CommandContext {
  readonly bmc: Bmc;
  readonly session: Session | undefined;
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
