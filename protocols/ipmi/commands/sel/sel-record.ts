import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import type { LogEntry, MachineEvent, Requester, Sensor } from '../../../machine/index.ts';
import { EVENT_TYPE, eventSensorNumber } from '../sensor/event-sensors.ts';
import { type EventData, eventFieldsOf } from './event-fields.ts';
import { type RecordIds, requesterOf } from './record-id.ts';

export const RECORD_LENGTH = 16;
/** Bytes of a record after ID and type. */
export const BODY_LENGTH = 13;

/** IPMI 2.0 §32. Types from C0h have a timestamp and 6 OEM bytes, types from E0h 13 OEM bytes without a timestamp. */
export const RECORD_TYPE = {
  systemEvent: 0x02,
  firstOem: 0xc0,
  firstUntimed: 0xe0,
  /** OEM record of this BMC: the first 6 bytes of the requester's user name. */
  user: 0xc0,
  /** OEM record of this BMC: the source of the request; {@link sourceBytes}. */
  source: 0xc1,
} as const;

/** Generator ID of the BMC's own events, LUN 0. */
const GENERATOR_BMC = 0x20;
const EVENT_MESSAGE_REVISION = 0x04;
const DEASSERTION = 0x80;
const UNSPECIFIED = 0xff;
const NAME_BYTES = 6;

export interface RecordContext {
  /** Seconds by which the clock for clients is ahead. */
  clockOffset: number;
  /** Source of the sensor numbers in events. */
  sensors: readonly Sensor[];
  /** Manufacturer ID of OEM records; 20 bits. */
  manufacturerId: number;
  ids: RecordIds;
}

/** One record of an entry, 16 bytes, IPMI 2.0 tables 32-1 to 32-3. `part` as in {@link RecordIds.partCountOf}. */
export function encodeRecord(entry: LogEntry, part: number, context: RecordContext): Buffer {
  const record = Buffer.alloc(RECORD_LENGTH);
  const { event } = entry;
  const requester = requesterOf(event);
  if (event.kind === 'Record') writeClientRecord(record, event);
  else if (part === 0 || requester === undefined) writeSystemEvent(record, event, context);
  else writeRequester(record, requester, part, context);
  record.writeUInt16LE(context.ids.idOf(entry, part), 0);
  if (record.readUInt8(2) < RECORD_TYPE.firstUntimed) record.writeUInt32LE(stampOf(entry.at, context.clockOffset), 3);
  return record;
}

/** Seconds since 1970 for clients, from ms; never FFFFFFFFh, which means "unspecified". */
export function stampOf(at: number, clockOffset: number): number {
  return Math.min(Math.max(Math.floor(at / 1000) + clockOffset, 0), 0xffff_fffe);
}

function writeClientRecord(record: Buffer, { type, body }: Extract<MachineEvent, { kind: 'Record' }>): void {
  record.writeUInt8(type & 0xff, 2);
  Buffer.from(body, 'hex').copy(record, 3, 0, BODY_LENGTH);
}

function writeSystemEvent(
  record: Buffer,
  event: Exclude<MachineEvent, { kind: 'Record' }>,
  { sensors }: RecordContext,
): void {
  const { sensor, offset, asserted, data2, data3 } = eventFieldsOf(event);
  record.writeUInt8(RECORD_TYPE.systemEvent, 2);
  record.writeUInt8(GENERATOR_BMC, 7);
  record.writeUInt8(EVENT_MESSAGE_REVISION, 9);
  record.writeUInt8(sensor.type, 10);
  record.writeUInt8(eventSensorNumber(sensor, sensors), 11);
  record.writeUInt8(EVENT_TYPE.sensorSpecific | (asserted ? 0 : DEASSERTION), 12);
  record.writeUInt8((meaningOf(data2) << 6) | (meaningOf(data3) << 4) | offset, 13);
  record.writeUInt8(data2?.value ?? UNSPECIFIED, 14);
  record.writeUInt8(data3?.value ?? UNSPECIFIED, 15);
}

/** Two bits, IPMI 2.0 table 29-6. */
function meaningOf(data: EventData | undefined): number {
  if (data === undefined) return 0;
  return data.meaning === 'oem' ? 2 : 3;
}

function writeRequester(record: Buffer, requester: Requester, part: number, { manufacturerId }: RecordContext): void {
  record.writeUInt8(part === 1 ? RECORD_TYPE.user : RECORD_TYPE.source, 2);
  record.writeUIntLE(manufacturerId & 0x0f_ffff, 7, 3);
  const bytes = part === 1 ? Buffer.from(requester.user).subarray(0, NAME_BYTES) : sourceBytes(requester);
  bytes.copy(record, 10);
}

const PROTOCOLS: Record<Requester['protocol'], number> = { IPMI: 0, Redfish: 1 };

/**
 * The source of a request in the 6 bytes of an OEM record: an IPv4 address or the last 4 bytes of an IPv6 address; 4, 6, or 0 for no
 * address; and the protocol, 0 for IPMI and 1 for Redfish.
 */
function sourceBytes({ address, protocol }: Requester): Buffer {
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) === 0) return Buffer.of(0, 0, 0, 0, 0, PROTOCOLS[protocol]);
  const parsed = ipaddr.process(plain);
  return Buffer.of(...parsed.toByteArray().slice(-4), parsed.kind() === 'ipv4' ? 4 : 6, PROTOCOLS[protocol]);
}
