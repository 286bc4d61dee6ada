import type { Command } from '../command.ts';
import { addSelEntry, deleteSelEntry, getSelEntry } from './sel-entries.ts';
import { clearSel, reserveSel } from './clear-sel.ts';
import { getSelAllocationInfo, getSelInfo } from './sel-info.ts';
import { getSelTime, getSelTimeUtcOffset, setSelTime, setSelTimeUtcOffset } from './sel-time.ts';
import { platformEvent } from './platform-event.ts';

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
