import type { Command } from '../command.ts';
import { getChannelCipherSuites } from './get-channel-cipher-suites.ts';
import { getChannelAccess, setChannelAccess } from './channel-access.ts';
import { getChannelInfo, getSystemInterfaceCapabilities } from './channel-info.ts';
import { setChannelSecurityKeys } from './set-channel-security-keys.ts';

/** Commands for the LAN channel, IPMI 2.0 §22.9, §22.15 and §22.22 to §22.25. */
export const CHANNEL_COMMANDS: readonly Command[] = [
  setChannelAccess,
  getChannelAccess,
  getChannelInfo,
  getChannelCipherSuites,
  setChannelSecurityKeys,
  getSystemInterfaceCapabilities,
];
