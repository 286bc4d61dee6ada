import type { Command } from '../command.ts';
import { getUserAccess, setUserAccess } from './user-access.ts';
import { getUserName, setUserName } from './user-name.ts';
import { setUserPassword } from './set-user-password.ts';

/** User commands, IPMI 2.0 §22.26 to §22.30. */
export const USER_COMMANDS: readonly Command[] = [
  setUserAccess,
  getUserAccess,
  setUserName,
  getUserName,
  setUserPassword,
];
