import { EVENT_TYPE, type EventSensor } from '../sensor/event-sensors.ts';
import { encodeText } from '../type-length.ts';

/** SDR version of IPMI 1.5 and 2.0 in BCD with swapped digits. */
export const SDR_VERSION = 0x51;

/** Record types, IPMI 2.0 table 43. */
export const SDR_TYPE = { full: 0x01, compact: 0x02, eventOnly: 0x03, fruLocator: 0x11, mcLocator: 0x12 } as const;

/** Bytes of ID, version, type and length before each record. */
export const HEADER_LENGTH = 5;
/** Maximum length of a name in bytes. */
const MAX_NAME = 16;

/** The BMC, owner of all sensors, IPMI 2.0 §5.5; LUN 0. */
export const OWNER = 0x20;

/** Entity IDs, IPMI 2.0 table 43-13. */
export const ENTITY = { systemManagementModule: 0x06, systemBoard: 0x07, systemChassis: 0x17 } as const;

/** A record of a type with header, `body` and name. Its ID is written when it is added to the repository. */
export function encodeSdr(type: number, body: Buffer, name: string): Buffer {
  const text = encodeText(name, MAX_NAME);
  const header = Buffer.of(0, 0, SDR_VERSION, type, body.length + text.length);
  return Buffer.concat([header, body, text]);
}

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
