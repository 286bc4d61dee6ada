import type { Command } from '../command.ts';
import { getChannelCipherSuites } from './get-channel-cipher-suites.ts';
import { getChannelAccess } from './get-channel-access.ts';
import { getChannelInfo } from './get-channel-info.ts';
import { getSystemInterfaceCapabilities } from './get-system-interface-capabilities.ts';
import { setChannelAccess } from './set-channel-access.ts';
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
