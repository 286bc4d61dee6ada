import { type Disk, StorageError } from './disk.ts';
import { DamagedFile, readLogFile, UnknownFormat, type FileKind, type FileReading, type Entry } from './log-file.ts';

/** The content of a journal's files. */
export interface Recovered {
  /** The objects at revision `base`, unordered. */
  readonly present: readonly Entry[];
  readonly base: number;
  /** The writes after `base`, in order. */
  readonly changes: readonly Entry[];
  readonly revision: number;
  /** The size of the snapshot in bytes; 0 without a snapshot. */
  readonly snapshotSize: number;
  /** The journal to continue, and the end of its last complete record; `size` 0 if its header is incomplete. */
  readonly last: { readonly generation: number; readonly size: number; readonly torn: boolean };
  /** Files that are no longer needed. */
  readonly leftovers: readonly string[];
}

const NAME = /^(journal|snapshot)-(\d{8,})$/;

export function fileName(kind: FileKind, generation: number): string {
  return `${kind}-${String(generation).padStart(8, '0')}`;
}

/** The name of a snapshot while it is written. */
export function partName(generation: number): string {
  return `${fileName('snapshot', generation)}.part`;
}

/**
 * Reads the files on the disk, and changes nothing there.
 *
 * @param start the revision if there are no files
 * @throws StorageError if a file is missing, damaged before its last record, or of a later version
 */
export function recover(disk: Disk, start: number): Recovered {
  const names = disk.list();
  const snapshots = generationsOf(names, 'snapshot');
  const journals = generationsOf(names, 'journal');
  const snapshot = snapshots.at(-1);
  const first = snapshot ?? 1;
  const {
    present,
    base,
    size: snapshotSize,
  } = snapshot === undefined ? { present: [], base: start, size: 0 } : readSnapshot(disk, snapshot);
  const lastGeneration = Math.max(first, journals.at(-1) ?? first);
  if (snapshot === undefined && journals.length === 0) {
    const last = { generation: 1, size: 0, torn: false };
    return { present, base, changes: [], revision: base, snapshotSize, last, leftovers: leftoversBefore(names, first) };
  }

  const changes: Entry[] = [];
  let revision = base;
  let last = { generation: first, size: 0, torn: false };
  for (let generation = first; generation <= lastGeneration; generation += 1) {
    const name = fileName('journal', generation);
    if (!journals.includes(generation)) throw new StorageError(`${disk.pathOf(name)} is missing: ${UNTOUCHED}`);
    const reading = read(disk, name, 'journal');
    const isLast = generation === lastGeneration;
    if (!isLast && (reading.torn || reading.head === undefined)) {
      throw damaged(disk, name, reading.size, 'its last record is incomplete, and a later journal exists');
    }
    if (reading.head !== undefined && reading.head.revision !== revision) {
      throw damaged(
        disk,
        name,
        0,
        `it begins after revision ${reading.head.revision}, but the previous file ends with ${revision}`,
      );
    }
    for (const { record, offset } of reading.records) {
      if (record.type === 'end' || record.revision !== revision + 1) {
        throw damaged(disk, name, offset, `revision ${revision} is followed by ${record.revision}`);
      }
      revision = record.revision;
      changes.push(record);
    }
    last = { generation, size: reading.size, torn: reading.torn };
  }
  return { present, base, changes, revision, snapshotSize, last, leftovers: leftoversBefore(names, first) };
}

/** The files among `names` that are not needed if the snapshot of `generation` is complete. */
export function leftoversBefore(names: readonly string[], generation: number): string[] {
  return names.filter((name) => {
    const number = NAME.exec(name)?.[2];
    return number === undefined ? name.endsWith('.part') : Number(number) < generation;
  });
}

const UNTOUCHED = 'the folder is unchanged. Restore it from a copy, or use another one.';

function readSnapshot(disk: Disk, generation: number): { present: Entry[]; base: number; size: number } {
  const name = fileName('snapshot', generation);
  const { head, records, size, torn } = read(disk, name, 'snapshot');
  const end = records.at(-1)?.record;
  const present = records.flatMap(({ record }) => (record.type === 'put' ? [record] : []));
  if (head === undefined || torn || end?.type !== 'end' || end.count !== present.length) {
    throw damaged(disk, name, size, 'it is incomplete');
  }
  return { present, base: head.revision, size };
}

function read(disk: Disk, name: string, kind: FileKind): FileReading {
  try {
    const reading = readLogFile(disk.read(name));
    const { head } = reading;
    if (head !== undefined && (head.kind !== kind || fileName(kind, head.generation) !== name)) {
      throw new DamagedFile(0, `its header is that of ${fileName(head.kind, head.generation)}`);
    }
    return reading;
  } catch (cause) {
    if (cause instanceof DamagedFile) throw damaged(disk, name, cause.offset, cause.message);
    if (cause instanceof UnknownFormat) throw new StorageError(`${disk.pathOf(name)}: ${cause.message}.`, { cause });
    throw new StorageError(`${disk.pathOf(name)} cannot be read: ${String(cause)}`, { cause });
  }
}

function damaged(disk: Disk, name: string, offset: number, why: string): StorageError {
  return new StorageError(`${disk.pathOf(name)} is damaged at byte ${offset}: ${why}; ${UNTOUCHED}`);
}

function generationsOf(names: readonly string[], kind: FileKind): number[] {
  return names
    .flatMap((name) => {
      const [, found, digits] = NAME.exec(name) ?? [];
      return found === kind ? [Number(digits)] : [];
    })
    .sort((a, b) => a - b);
}
