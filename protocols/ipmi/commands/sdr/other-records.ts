import type { EventSensor } from '../sensor/event-sensors.ts';
import { EVENT_TYPE } from '../sensor/sensor-type.ts';
import { encodeSdr, ENTITY, OWNER, SDR_TYPE } from './record-header.ts';

const SHARED_BY_ONE = 0x01;
/** Chassis device, FRU inventory, event log, SDR repository, sensors; as in Get Device ID. */
const DEVICE_SUPPORT = 0x8f;
/** The FRU is a logical device of the BMC, accessed by FRU commands. */
const LOGICAL_FRU = 0x80;
const FRU_DEVICE_ID = 0;
/** Device type and modifier of a FRU inventory device behind a management controller. */
const FRU_INVENTORY = [0x10, 0x00];

/** Event-Only Record, IPMI 2.0 table 43-3: names the source of events. */
export function eventOnlyRecord({ number, type, name }: EventSensor): Buffer {
  const entity = [ENTITY.systemBoard, 1];
  const body = Buffer.of(OWNER, 0, number, ...entity, type, EVENT_TYPE.sensorSpecific, SHARED_BY_ONE, 0, 0, 0);
  return encodeSdr(SDR_TYPE.eventOnly, body, name);
}

/** Management Controller Device Locator, IPMI 2.0 table 43-8: the BMC. */
export function mcLocatorRecord(): Buffer {
  const body = Buffer.of(OWNER, 0, 0, DEVICE_SUPPORT, 0, 0, 0, ENTITY.systemManagementModule, 1, 0);
  return encodeSdr(SDR_TYPE.mcLocator, body, 'BMC');
}

/** FRU Device Locator, IPMI 2.0 table 43-7: the machine's inventory. */
export function fruLocatorRecord(): Buffer {
  const body = Buffer.of(OWNER, FRU_DEVICE_ID, LOGICAL_FRU, 0, 0, ...FRU_INVENTORY, ENTITY.systemChassis, 1, 0);
  return encodeSdr(SDR_TYPE.fruLocator, body, 'Virtual Machine');
}
