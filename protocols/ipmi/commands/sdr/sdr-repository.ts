import { crc32 } from 'node:zlib';
import type { Sensor } from '../../../machine/index.ts';
import { eventOnlySensors } from '../sensor/event-sensors.ts';
import { compactSensorRecord } from './compact-sensor-record.ts';
import { fullSensorRecord } from './full-sensor-record.ts';
import { eventOnlyRecord, fruLocatorRecord, mcLocatorRecord } from './other-records.ts';

/** 2020-01-01 in seconds since 1970; stamps lie in the half year behind it. */
const STAMP_BASE = 1_577_836_800;
const STAMP_MASK = 0x00ff_ffff;

/** All records, with IDs from 1 up in their order: the BMC, the machine's inventory, what is measured, what events come from. */
export function sdrRecords(sensors: readonly Sensor[]): Buffer[] {
  const records = [
    mcLocatorRecord(),
    fruLocatorRecord(),
    ...sensors.map((sensor) => sensorRecord(sensor)),
    ...eventOnlySensors(sensors).map((sensor) => eventOnlyRecord(sensor)),
  ];
  for (const [index, record] of records.entries()) record.writeUInt16LE(index + 1, 0);
  return records;
}

/**
 * What clients take for the time of the last change, and know by it whether the records that they keep still hold. The records are
 * made from the sensors, at no time; so it is made from the records: the same for the same, another for others, whichever process
 * answers.
 */
export function repositoryStamp(records: readonly Buffer[]): number {
  return STAMP_BASE + (crc32(Buffer.concat(records)) & STAMP_MASK);
}

function sensorRecord(sensor: Sensor): Buffer {
  const { reading } = sensor;
  return reading.kind === 'Number' ? fullSensorRecord(sensor, reading) : compactSensorRecord(sensor, reading);
}
