import type { Command } from '../command.ts';
import { getChannelCipherSuites } from './get-channel-cipher-suites.ts';
import { getChannelInfo } from './get-channel-info.ts';

/** The one channel that this BMC has, IPMI 2.0 §22.15 and §22.22 to §22.24. */
export const CHANNEL_COMMANDS: readonly Command[] = [getChannelInfo, getChannelCipherSuites];
