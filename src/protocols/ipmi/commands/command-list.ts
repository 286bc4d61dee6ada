import { closeSession } from './app/close-session.ts';
import { getChannelAuthenticationCapabilities } from './app/get-channel-authentication-capabilities.ts';
import { getChannelCipherSuites } from './app/get-channel-cipher-suites.ts';
import { getChannelInfo } from './app/get-channel-info.ts';
import { getDeviceId } from './app/get-device-id.ts';
import { getSelfTestResults } from './app/get-self-test-results.ts';
import { getSessionInfo } from './app/get-session-info.ts';
import { getSystemGuid } from './app/get-system-guid.ts';
import { setSessionPrivilegeLevel } from './app/set-session-privilege-level.ts';
import { chassisControl } from './chassis/chassis-control.ts';
import { getChassisCapabilities } from './chassis/get-chassis-capabilities.ts';
import { getChassisStatus } from './chassis/get-chassis-status.ts';
import { getSystemBootOptions } from './chassis/get-system-boot-options.ts';
import { setSystemBootOptions } from './chassis/set-system-boot-options.ts';
import type { Command } from './command.ts';

/**
 * Every command that this BMC has. Each stands in a file of its own with its number, the lowest privilege level that it
 * needs (IPMI 2.0 appendix G) and its section of the specification; what is not listed is answered with 0xC1.
 */
export const COMMANDS: readonly Command[] = [
  getChassisCapabilities,
  getChassisStatus,
  chassisControl,
  setSystemBootOptions,
  getSystemBootOptions,

  getDeviceId,
  getSelfTestResults,
  getSystemGuid,
  getChannelAuthenticationCapabilities,
  setSessionPrivilegeLevel,
  closeSession,
  getSessionInfo,
  getChannelInfo,
  getChannelCipherSuites,
];
