import { MachineError, type MachineErrorCode } from '../../machine/index.ts';
import { COMPLETION, CompletionError } from '../message/codes.ts';
import type { RequestMessage } from '../message/lan-message.ts';
import type { Peer } from '../datagram.ts';
import type { Session } from '../session/session.ts';
import type { Bmc, Command, CommandResult } from './command.ts';

interface Context {
  bmc: Bmc;
  session: Session | undefined;
  peer: Peer;
  now: number;
}

export interface CommandOutcome {
  completionCode: number;
  data: Buffer;
  /** Cause of a completion code other than 0x00. */
  error?: unknown;
}

const NO_DATA = Buffer.alloc(0);

/**
 * ipmitool prints them as "Node busy", "Invalid data field in request", "Command not supported in present state",
 * "Destination unavailable", "Timeout" and "Insufficient privilege level".
 */
const MACHINE_ERROR_COMPLETION: Readonly<Record<MachineErrorCode, number>> = {
  Busy: COMPLETION.nodeBusy,
  NotSupported: COMPLETION.invalidField,
  InvalidState: COMPLETION.invalidState,
  Unavailable: COMPLETION.destinationUnavailable,
  Timeout: COMPLETION.timeout,
  Forbidden: COMPLETION.insufficientPrivilege,
};

/** The commands of a BMC by network function and number. */
export class CommandTable {
  readonly #commands: ReadonlyMap<number, Command>;

  constructor(commands: readonly Command[]) {
    this.#commands = new Map(commands.map((command) => [keyOf(command.netFn, command.command), command]));
    if (this.#commands.size !== commands.length) throw new Error('two commands have the same number');
  }

  find(netFn: number, command: number): Command | undefined {
    return this.#commands.get(keyOf(netFn, command));
  }

  /**
   * Executes a request; never throws. `command` is the result of {@link find}.
   *
   * An unknown command is reported before a missing privilege: ipmitool probes for optional commands and accepts 0xC1 silently, but
   * prints an error for 0xD4.
   */
  execute(
    command: Command | undefined,
    request: RequestMessage,
    context: Context,
  ): CommandOutcome | Promise<CommandOutcome> {
    try {
      const result = handle(command, request, context);
      return result instanceof Promise ? result.then(succeeded, failed) : succeeded(result);
    } catch (error) {
      return failed(error);
    }
  }
}

function handle(command: Command | undefined, request: RequestMessage, context: Context): CommandResult {
  const { bmc, session, peer, now } = context;
  if (command === undefined) throw new CompletionError(COMPLETION.invalidCommand, 'no such command');
  if (request.responderLun !== 0) throw new CompletionError(COMPLETION.invalidForLun, 'only LUN 0 is supported');
  const { privilege } = command;
  if (privilege !== 'None' && (session === undefined || session.privilege < privilege)) {
    throw new CompletionError(COMPLETION.insufficientPrivilege, `${command.name} needs privilege level ${privilege}`);
  }
  const [min, max] = command.requestLength;
  if (request.data.length < min || request.data.length > max) {
    throw new CompletionError(COMPLETION.invalidLength, `${command.name} takes ${min} to ${max} bytes`);
  }
  if (command.privilege === 'None') return command.handle(request.data, context);
  if (session === undefined) throw new CompletionError(COMPLETION.insufficientPrivilege, 'the command needs a session');
  const requester = { protocol: 'IPMI', user: session.user, address: session.peer.address } as const;
  return command.handle(request.data, { bmc, session, peer, now, requester });
}

function succeeded(data: Buffer = NO_DATA): CommandOutcome {
  return { completionCode: COMPLETION.ok, data };
}

function failed(error: unknown): CommandOutcome {
  return { completionCode: completionCodeOf(error), data: NO_DATA, error };
}

function completionCodeOf(error: unknown): number {
  if (error instanceof CompletionError) return error.completionCode;
  if (error instanceof MachineError) return MACHINE_ERROR_COMPLETION[error.code];
  return COMPLETION.unspecified;
}

function keyOf(netFn: number, command: number): number {
  return (netFn << 8) | command;
}
