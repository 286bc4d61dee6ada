import type { Command } from '../command.ts';
import { chassisControl } from './chassis-control.ts';
import { getChassisCapabilities } from './get-chassis-capabilities.ts';
import { getChassisStatus } from './get-chassis-status.ts';
import { getSystemBootOptions } from './get-system-boot-options.ts';
import { setSystemBootOptions } from './set-system-boot-options.ts';

/** The machine's power and boot, IPMI 2.0 §28. */
export const CHASSIS_COMMANDS: readonly Command[] = [
  getChassisCapabilities,
  getChassisStatus,
  chassisControl,
  setSystemBootOptions,
  getSystemBootOptions,
];
