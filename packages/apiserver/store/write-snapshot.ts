import { setImmediate as pause } from 'node:timers/promises';
import type { Disk } from './disk.ts';
import { encodeHead, encodeRecord, type Entry } from './log-file.ts';
import { fileName, partName } from './recover.ts';

export interface Snapshot {
  disk: Disk;
  generation: number;
  revision: number;
  present: Iterable<Entry>;
  /** Checked between chunks: true if the snapshot is no longer needed. */
  isClosed: () => boolean;
}

/** Bytes per write. The event loop runs between writes. */
const CHUNK = 256 * 1024;

/**
 * Writes a snapshot to a `.part` file, syncs it, and renames it.
 *
 * @returns its size in bytes; undefined if `isClosed` became true
 */
export async function writeSnapshot(snapshot: Snapshot): Promise<number | undefined> {
  const { disk, generation } = snapshot;
  const part = partName(generation);
  try {
    disk.remove(part);
    const size = await writePart(snapshot, part);
    if (size === undefined) return undefined;
    disk.rename(part, fileName('snapshot', generation));
    disk.sync();
    return size;
  } catch (error) {
    disk.remove(part);
    throw error;
  }
}

async function writePart(
  { disk, generation, revision, present, isClosed }: Snapshot,
  part: string,
): Promise<number | undefined> {
  const file = disk.append(part);
  try {
    let waiting = [encodeHead({ kind: 'snapshot', generation, revision })];
    let bytes = 0;
    let count = 0;
    for (const entry of present) {
      const record = encodeRecord(entry);
      waiting.push(record);
      bytes += record.length;
      count += 1;
      if (bytes < CHUNK) continue;
      file.write(Buffer.concat(waiting));
      waiting = [];
      bytes = 0;
      await pause();
      if (isClosed()) return undefined;
    }
    file.write(Buffer.concat([...waiting, encodeRecord({ type: 'end', revision, count })]));
    await file.sync();
    return file.size;
  } finally {
    file.close();
  }
}
