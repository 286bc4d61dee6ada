import { readdirSync, readFileSync } from 'node:fs';

/** What a process takes of the machine. */
export interface Footprint {
  descriptors: number;
  /** MiB that are resident. */
  memory: number;
}

export function footprintOf(pid: number): Footprint {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, memory: Number(kib) / 1024 };
}
