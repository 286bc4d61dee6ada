import type { Command } from '../command.ts';
import { getAssetTag, getControllerId, setAssetTag, setControllerId } from './texts.ts';
import { getDcmiCapabilitiesInfo, getDcmiSensorInfo } from './dcmi-capabilities.ts';

/** The Data Center Manageability Interface, DCMI 1.5. */
export const DCMI_COMMANDS: readonly Command[] = [
  getDcmiCapabilitiesInfo,
  getAssetTag,
  getDcmiSensorInfo,
  setAssetTag,
  getControllerId,
  setControllerId,
];
