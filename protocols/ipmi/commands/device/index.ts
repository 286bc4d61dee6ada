import type { Command } from '../command.ts';
import { coldReset } from './cold-reset.ts';
import { getAcpiPowerState } from './get-acpi-power-state.ts';
import { getBmcGlobalEnables } from './get-bmc-global-enables.ts';
import { getDeviceGuid } from './get-device-guid.ts';
import { getDeviceId } from './get-device-id.ts';
import { getSelfTestResults } from './get-self-test-results.ts';
import { getSystemGuid } from './get-system-guid.ts';
import { getSystemInfoParameters } from './get-system-info-parameters.ts';
import { setAcpiPowerState } from './set-acpi-power-state.ts';
import { setBmcGlobalEnables } from './set-bmc-global-enables.ts';
import { setSystemInfoParameters } from './set-system-info-parameters.ts';
import { warmReset } from './warm-reset.ts';

/** Commands for the BMC itself, IPMI 2.0 §20 and §22. */
export const DEVICE_COMMANDS: readonly Command[] = [
  getDeviceId,
  coldReset,
  warmReset,
  getSelfTestResults,
  setAcpiPowerState,
  getAcpiPowerState,
  getDeviceGuid,
  setBmcGlobalEnables,
  getBmcGlobalEnables,
  getSystemGuid,
  setSystemInfoParameters,
  getSystemInfoParameters,
];
