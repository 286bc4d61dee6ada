import { ownCopy } from '../../../own-copy.ts';
import type { Account } from '../../../accounts.ts';
import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { isEqual } from '../../session/account.ts';
import type { SessionCommand } from '../command.ts';
import { accountOf, changeAccount, requireAccount, userIdOf } from './user.ts';

const TWENTY_BYTES = 0x80;
const OPERATION_MASK = 0x03;
const OPERATION = { disable: 0, enable: 1, set: 2, test: 3 } as const;
const SHORT = 16;
const LONG = 20;

const TEST_FAILED = 0x80;
const TEST_WRONG_SIZE = 0x81;

/**
 * Set User Password, IPMI 2.0 §22.30: sets or tests a password of 16 or 20 bytes, padded with zeros, or enables or disables the user,
 * with an optional password. Empty passwords are rejected.
 */
export const setUserPassword: SessionCommand = {
  name: 'Set User Password',
  netFn: NET_FN.app,
  command: 0x47,
  privilege: PRIVILEGE.administrator,
  requestLength: [2, 2 + LONG],
  repeatable: true,
  handle: async (request, context) => {
    const size = (request.readUInt8(0) & TWENTY_BYTES) === 0 ? SHORT : LONG;
    const id = userIdOf(request.readUInt8(0));
    const operation = request.readUInt8(1) & OPERATION_MASK;
    const field = request.subarray(2);
    const needsPassword = operation === OPERATION.set || operation === OPERATION.test;
    if (field.length !== size && (needsPassword || field.length !== 0)) {
      throw new CompletionError(COMPLETION.invalidLength, `the password has ${size} bytes`);
    }
    // A nonexistent user is disabled already; configuration tools write that back.
    if (operation === OPERATION.disable && accountOf(context.bmc, id) === undefined) return;
    const account = requireAccount(context.bmc, id);
    switch (operation) {
      case OPERATION.test:
        test(account, field);
        break;
      case OPERATION.set:
        await changeAccount(context, id, { password: passwordIn(field) });
        break;
      default:
        await changeAccount(context, id, { enabled: operation === OPERATION.enable });
    }
  },
};

/** @throws CompletionError 0x81 if the password does not fit 16 bytes, 0x80 for a wrong password */
function test({ password }: Account, field: Buffer): void {
  if (password !== undefined && password.length > field.length) {
    throw new CompletionError(TEST_WRONG_SIZE, 'the password is longer than 16 bytes');
  }
  const padded = Buffer.alloc(field.length);
  password?.copy(padded);
  if (password === undefined || !isEqual(padded, field)) {
    throw new CompletionError(TEST_FAILED, 'wrong password');
  }
}

function passwordIn(field: Buffer): Buffer {
  let length = field.length;
  while (length > 0 && field[length - 1] === 0) length -= 1;
  if (length === 0) throw new CompletionError(COMPLETION.invalidField, 'the password is empty');
  return ownCopy(field.subarray(0, length));
}
