import { CHANNEL_COMMANDS } from './channel/index.ts';
import { CHASSIS_COMMANDS } from './chassis/index.ts';
import type { Command } from './command.ts';
import { DCMI_COMMANDS } from './dcmi/index.ts';
import { DEVICE_COMMANDS } from './device/index.ts';
import { FRU_COMMANDS } from './fru/index.ts';
import { PEF_COMMANDS } from './pef-commands.ts';
import { SDR_COMMANDS } from './sdr/index.ts';
import { SEL_COMMANDS } from './sel/index.ts';
import { SENSOR_COMMANDS } from './sensor/index.ts';
import { LAN_COMMANDS } from './lan/index.ts';
import { SESSION_COMMANDS } from './session/index.ts';
import { SOL_COMMANDS } from './sol/index.ts';
import { USER_COMMANDS } from './user/index.ts';
import { WATCHDOG_COMMANDS } from './watchdog/index.ts';

/**
 * All supported commands. Each has its own file with its number, minimum privilege level (IPMI 2.0 appendix G) and section of the
 * specification; other commands are answered with 0xC1.
 */
export const COMMANDS: readonly Command[] = [
  ...CHASSIS_COMMANDS,
  ...DEVICE_COMMANDS,
  ...WATCHDOG_COMMANDS,
  ...SESSION_COMMANDS,
  ...CHANNEL_COMMANDS,
  ...USER_COMMANDS,
  ...LAN_COMMANDS,
  ...SOL_COMMANDS,
  ...DCMI_COMMANDS,
  ...FRU_COMMANDS,
  ...PEF_COMMANDS,
  ...SDR_COMMANDS,
  ...SEL_COMMANDS,
  ...SENSOR_COMMANDS,
];
