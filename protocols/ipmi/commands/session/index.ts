import type { Command } from '../command.ts';
import { activateSession, getSessionChallenge } from './session-challenge.ts';
import { closeSession } from './close-session.ts';
import { getChannelAuthenticationCapabilities } from './get-channel-authentication-capabilities.ts';
import { getSessionInfo } from './get-session-info.ts';
import { setSessionPrivilegeLevel } from './set-session-privilege-level.ts';

/** Session commands, IPMI 2.0 §22.13 to §22.20. */
export const SESSION_COMMANDS: readonly Command[] = [
  getChannelAuthenticationCapabilities,
  getSessionChallenge,
  activateSession,
  setSessionPrivilegeLevel,
  closeSession,
  getSessionInfo,
];
