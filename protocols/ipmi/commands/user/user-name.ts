import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { accountOf, changeAccount, userIdOf } from './user.ts';

/** Length of the name field, padded with zeros. */
const NAME_LENGTH = 16;

/** Get User Name, IPMI 2.0 §22.29. A nonexistent user has an empty name. */
export const getUserName: SessionCommand = {
  name: 'Get User Name',
  netFn: NET_FN.app,
  command: 0x46,
  privilege: PRIVILEGE.operator,
  requestLength: [1, 1],
  repeatable: true,
  handle: (request, { bmc }) => encodeName(accountOf(bmc, userIdOf(request.readUInt8(0)))?.name ?? ''),
};

/**
 * Set User Name, IPMI 2.0 §22.28: creates a user without rights until it has a password, is enabled and has a privilege limit. An
 * empty name removes the user. 0xCC for a name in use.
 */
export const setUserName: SessionCommand = {
  name: 'Set User Name',
  netFn: NET_FN.app,
  command: 0x45,
  privilege: PRIVILEGE.administrator,
  requestLength: [1 + NAME_LENGTH, 1 + NAME_LENGTH],
  repeatable: true,
  handle: async (request, context) => {
    const id = userIdOf(request.readUInt8(0));
    const name = decodeName(request.subarray(1));
    // No change: for example the null user, whose empty name configuration tools write back.
    if (name === '' && accountOf(context.bmc, id) === undefined) return;
    await changeAccount(context, id, { name });
  },
};

/** @throws CompletionError 0xCC for invalid UTF-8 */
export function decodeName(field: Buffer): string {
  const end = field.indexOf(0);
  const bytes = end === -1 ? field : field.subarray(0, end);
  const name = bytes.toString('utf8');
  if (!Buffer.from(name, 'utf8').equals(bytes)) {
    throw new CompletionError(COMPLETION.invalidField, 'the name is not valid UTF-8');
  }
  return name;
}

/** A name in IPMI encoding; longer names exist only in Redfish. */
export function encodeName(name: string): Buffer {
  const field = Buffer.alloc(NAME_LENGTH);
  Buffer.from(name, 'utf8').copy(field);
  return field;
}
