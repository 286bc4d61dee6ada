import type { EventLog } from '../../../machine/index.ts';
import { PARTS } from './record-id.ts';
import { RECORD_LENGTH } from './sel-record.ts';

/** Bytes of the maximum number of records per log entry: the allocation unit. */
export const UNIT_LENGTH = PARTS * RECORD_LENGTH;

/** Number of entries that fit before the oldest are removed. */
export function freeUnits(log: EventLog): number {
  return Math.max(log.capacity - log.entries().length, 0);
}
