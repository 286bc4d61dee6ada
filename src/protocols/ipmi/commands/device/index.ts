import type { Command } from '../command.ts';
import { getDeviceId } from './get-device-id.ts';
import { getSelfTestResults } from './get-self-test-results.ts';
import { getSystemGuid } from './get-system-guid.ts';

/** The BMC itself, IPMI 2.0 §20, §21 and §22.14. */
export const DEVICE_COMMANDS: readonly Command[] = [getDeviceId, getSelfTestResults, getSystemGuid];
