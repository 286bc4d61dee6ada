import type { EventLog } from '../../../machine/index.ts';
import { PARTS } from './record-id.ts';
import { RECORD_LENGTH } from './sel-record.ts';

/** Bytes of the records that one entry of the machine's log can have: what room is counted in. */
export const UNIT_LENGTH = PARTS * RECORD_LENGTH;

/** Entries that can be added before the oldest make room. */
export function freeUnits(log: EventLog): number {
  return Math.max(log.capacity - log.entries().length, 0);
}
