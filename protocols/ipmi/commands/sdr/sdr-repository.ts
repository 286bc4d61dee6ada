import type { Sensor } from '../../../machine/index.ts';
import { eventOnlySensors } from '../sensor/event-sensors.ts';
import { eventOnlyRecord, fruLocatorRecord, mcLocatorRecord } from './sdr-record.ts';
import { compactSensorRecord, fullSensorRecord } from './sensor-records.ts';

/** 2020-01-01 in seconds since 1970; stamps are within half a year after it. */
const STAMP_BASE = 1_577_836_800;
const STAMP_MASK = 0x00ff_ffff;

/** All records, with IDs from 1: the BMC, the FRU inventory, the sensors, the event sources. */
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
 * The "time of the last change", by which clients detect whether their cached records are valid. The records are derived from the
 * sensors, so the stamp is a hash of the records: equal for equal records in every process.
 */
export function repositoryStamp(records: readonly Buffer[]): number {
  // Loaded by the first client that asks: 2 MB of an agent.
  const { crc32 } = process.getBuiltinModule('node:zlib');
  return STAMP_BASE + (crc32(Buffer.concat(records)) & STAMP_MASK);
}

function sensorRecord(sensor: Sensor): Buffer {
  const { reading } = sensor;
  return reading.kind === 'Number' ? fullSensorRecord(sensor, reading) : compactSensorRecord(sensor, reading);
}
