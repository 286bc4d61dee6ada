import { readdirSync, readFileSync } from 'node:fs';

/** The resource usage of a process. */
export interface Footprint {
  descriptors: number;
  /** Resident memory in MiB. */
  memory: number;
}

export function footprintOf(pid: number): Footprint {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, memory: Number(kib) / 1024 };
}
