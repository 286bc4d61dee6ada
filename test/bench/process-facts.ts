import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Bytes that a process holds in memory now, and the most that it ever held (Linux proc(5)). */
export function memoryOf(pid: number): { resident: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
  return { resident: kibibytes('VmRSS') * 1024, peak: kibibytes('VmHWM') * 1024 };
}

/** Milliseconds that a process has computed, in user mode and in the kernel. */
export function processorTimeOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}

/** Sockets that a process holds open. */
export function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((entry) => {
    try {
      return readlinkSync(`${folder}/${entry}`).startsWith('socket:');
    } catch {
      // Closed since it was listed.
      return false;
    }
  }).length;
}
