import type { Command } from '../command.ts';
import { chassisControl } from './chassis-control.ts';
import { chassisIdentify } from './chassis-identify.ts';
import { getChassisCapabilities } from './get-chassis-capabilities.ts';
import { getChassisStatus } from './get-chassis-status.ts';
import { getPohCounter } from './get-poh-counter.ts';
import { getSystemBootOptions } from './get-system-boot-options.ts';
import { getSystemRestartCause } from './get-system-restart-cause.ts';
import { setFrontPanelEnables } from './set-front-panel-enables.ts';
import { setPowerCycleInterval } from './set-power-cycle-interval.ts';
import { setPowerRestorePolicy } from './set-power-restore-policy.ts';
import { setSystemBootOptions } from './set-system-boot-options.ts';

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
