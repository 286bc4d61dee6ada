import type { Command } from '../command.ts';
import { addSelEntry } from './add-sel-entry.ts';
import { clearSel } from './clear-sel.ts';
import { deleteSelEntry } from './delete-sel-entry.ts';
import { getSelAllocationInfo } from './get-sel-allocation-info.ts';
import { getSelEntry } from './get-sel-entry.ts';
import { getSelInfo } from './get-sel-info.ts';
import { getSelTime } from './get-sel-time.ts';
import { getSelTimeUtcOffset } from './get-sel-time-utc-offset.ts';
import { platformEvent } from './platform-event.ts';
import { reserveSel } from './reserve-sel.ts';
import { setSelTime } from './set-sel-time.ts';
import { setSelTimeUtcOffset } from './set-sel-time-utc-offset.ts';

/** Event log commands, IPMI 2.0 §31, and Platform Event, §29.3. */
export const SEL_COMMANDS: readonly Command[] = [
  getSelInfo,
  getSelAllocationInfo,
  reserveSel,
  getSelEntry,
  addSelEntry,
  deleteSelEntry,
  clearSel,
  getSelTime,
  setSelTime,
  getSelTimeUtcOffset,
  setSelTimeUtcOffset,
  platformEvent,
];
