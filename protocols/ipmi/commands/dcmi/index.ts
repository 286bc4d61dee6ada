import type { Command } from '../command.ts';
import { getAssetTag, setAssetTag } from './asset-tag-commands.ts';
import { getControllerId, setControllerId } from './controller-id-commands.ts';
import { getDcmiCapabilitiesInfo } from './get-dcmi-capabilities-info.ts';
import { getDcmiSensorInfo } from './get-dcmi-sensor-info.ts';

/** The Data Center Manageability Interface, DCMI 1.5. */
export const DCMI_COMMANDS: readonly Command[] = [
  getDcmiCapabilitiesInfo,
  getAssetTag,
  getDcmiSensorInfo,
  setAssetTag,
  getControllerId,
  setControllerId,
];
