import type { LogEntry } from '../../../machine/index.ts';
import { COMPLETION, CompletionError } from '../../message/codes.ts';
import type { Bmc } from '../command.ts';
import { firstPlace, type RecordPlace } from './record-id.ts';
import { encodeRecord, stampOf } from './sel-record.ts';

/** IDs for the first and the last record of a non-empty log. */
const FIRST_RECORD = 0x0000;
const LAST_RECORD = 0xffff;

/** Timestamp "unspecified". */
const NO_TIME = 0xffff_ffff;

/** The machine's log as SEL records, with the clock for clients. */
export class SelView {
  readonly #bmc: Bmc;

  constructor(bmc: Bmc) {
    this.#bmc = bmc;
  }

  /** Seconds since 1970, on the clock for clients. */
  get now(): number {
    return stampOf(this.#bmc.time(), this.#clockOffset);
  }

  /** Converts ms since 1970 of the BMC's clock. */
  stamp(at: number | undefined): number {
    return at === undefined ? NO_TIME : stampOf(at, this.#clockOffset);
  }

  /**
   * A record and the ID of the next one, FFFFh after the last.
   *
   * @throws CompletionError 0xCB for an unknown record
   */
  read(recordId: number): { record: Buffer; next: number } {
    const { machine, deviceInfo, recordIds: ids } = this.#bmc;
    const entries = machine.log.entries();
    const place = this.#find(recordId, entries);
    const after = ids.placeAfter(place, entries);
    const entry = entryAt(place, entries);
    const { manufacturerId = 0 } = deviceInfo;
    const context = { clockOffset: this.#clockOffset, sensors: machine.sensors(), manufacturerId, ids };
    return {
      record: encodeRecord(entry, place.part, context),
      next: after === undefined ? LAST_RECORD : ids.idOf(entryAt(after, entries), after.part),
    };
  }

  /** @throws CompletionError 0xCB */
  entry(recordId: number): LogEntry {
    const entries = this.#bmc.machine.log.entries();
    return entryAt(this.#find(recordId, entries), entries);
  }

  get #clockOffset(): number {
    return this.#bmc.settings.current().sel?.clockOffset ?? 0;
  }

  #find(recordId: number, entries: readonly LogEntry[]): RecordPlace {
    const { recordIds: ids } = this.#bmc;
    const place =
      recordId === FIRST_RECORD
        ? firstPlace(entries)
        : recordId === LAST_RECORD
          ? ids.lastPlace(entries)
          : ids.placeOf(recordId, entries);
    if (place === undefined) throw new CompletionError(COMPLETION.notPresent, `no record ${recordId}`);
    return place;
  }
}

function entryAt({ index }: RecordPlace, entries: readonly LogEntry[]): LogEntry {
  const entry = entries[index];
  if (entry === undefined) throw new CompletionError(COMPLETION.notPresent, 'the record is gone');
  return entry;
}
