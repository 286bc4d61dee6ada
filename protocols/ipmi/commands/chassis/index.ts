import type { Command } from '../command.ts';
import { chassisControl } from './chassis-control.ts';
import { chassisIdentify } from './chassis-identify.ts';
import { getChassisCapabilities, setFrontPanelEnables, setPowerCycleInterval } from './chassis-settings.ts';
import { getChassisStatus } from './get-chassis-status.ts';
import { getPohCounter } from './power-on-counter.ts';
import { getSystemBootOptions, setSystemBootOptions } from './system-boot-options.ts';
import { getSystemRestartCause } from './system-restart-cause.ts';
import { setPowerRestorePolicy } from './power-restore-policy.ts';

/** Chassis commands, IPMI 2.0 §28. */
export const CHASSIS_COMMANDS: readonly Command[] = [
  getChassisCapabilities,
  getChassisStatus,
  chassisControl,
  chassisIdentify,
  setPowerRestorePolicy,
  getSystemRestartCause,
  setSystemBootOptions,
  getSystemBootOptions,
  setFrontPanelEnables,
  setPowerCycleInterval,
  getPohCounter,
];
