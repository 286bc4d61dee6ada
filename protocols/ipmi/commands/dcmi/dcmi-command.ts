import { COMPLETION, CompletionError, NET_FN, type Privilege } from '../../message/codes.ts';
import type { CommandResult, SessionCommand, SessionCommandContext } from '../command.ts';

/** Defining body of the group, DCMI 1.5 §6. */
const DCMI = 0xdc;
/** Maximum request length for any group; DCMI requests are shorter. */
const MAX_REQUEST = 64;

interface DcmiCommand {
  name: string;
  command: number;
  privilege: Privilege;
  /** Minimum and maximum bytes after the group's byte. */
  requestLength: readonly [min: number, max: number];
  repeatable: boolean;
  /** Request and response are without the group's byte. */
  handle: (request: Buffer, context: SessionCommandContext) => CommandResult;
}

/**
 * A DCMI command. Network function 2Ch has commands of several groups under one number, distinguished by the first byte. Clients probe
 * for PICMG and VITA at each start and expect 0xC1 at once.
 */
export function dcmiCommand({
  name,
  command,
  privilege,
  requestLength,
  repeatable,
  handle,
}: DcmiCommand): SessionCommand {
  const [min, max] = requestLength;
  return {
    name,
    netFn: NET_FN.groupExtension,
    command,
    privilege,
    requestLength: [1, MAX_REQUEST],
    repeatable,
    handle: (request, context) => {
      if (request.readUInt8(0) !== DCMI)
        throw new CompletionError(COMPLETION.invalidCommand, 'group extension other than DCMI');
      const data = request.subarray(1);
      if (data.length < min || data.length > max) {
        throw new CompletionError(
          COMPLETION.invalidLength,
          `${name} takes ${min} to ${max} bytes after the group byte`,
        );
      }
      const result = handle(data, context);
      return result instanceof Promise ? result.then(grouped) : grouped(result);
    },
  };
}

function grouped(data: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.of(DCMI), data]);
}
