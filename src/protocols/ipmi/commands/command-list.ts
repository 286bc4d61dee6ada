import { CHANNEL_COMMANDS } from './channel/index.ts';
import { CHASSIS_COMMANDS } from './chassis/index.ts';
import type { Command } from './command.ts';
import { DEVICE_COMMANDS } from './device/index.ts';
import { SESSION_COMMANDS } from './session/index.ts';

/**
 * Every command that this BMC has. Each stands in a file of its own with its number, the lowest privilege level that it
 * needs (IPMI 2.0 appendix G) and its section of the specification; what is not listed is answered with 0xC1.
 */
export const COMMANDS: readonly Command[] = [
  ...CHASSIS_COMMANDS,
  ...DEVICE_COMMANDS,
  ...SESSION_COMMANDS,
  ...CHANNEL_COMMANDS,
];
