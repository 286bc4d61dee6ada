import type { Command } from '../command.ts';
import { coldReset, warmReset } from './resets.ts';
import { getAcpiPowerState, setAcpiPowerState } from './acpi-power-state.ts';
import { getBmcGlobalEnables, getSelfTestResults, setBmcGlobalEnables } from './fixed-answers.ts';
import { getDeviceGuid, getSystemGuid } from './guids.ts';
import { getDeviceId } from './get-device-id.ts';
import { getSystemInfoParameters, setSystemInfoParameters } from './system-info.ts';

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
