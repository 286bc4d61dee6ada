import type { Command } from '../command.ts';
import { getUserAccess } from './get-user-access.ts';
import { getUserName } from './get-user-name.ts';
import { setUserAccess } from './set-user-access.ts';
import { setUserName } from './set-user-name.ts';
import { setUserPassword } from './set-user-password.ts';

/** User commands, IPMI 2.0 §22.26 to §22.30. */
export const USER_COMMANDS: readonly Command[] = [
  setUserAccess,
  getUserAccess,
  setUserName,
  getUserName,
  setUserPassword,
];
