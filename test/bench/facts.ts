import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** The machine, on which all figures depend. */
export function machineFacts(): string[] {
  const processors = cpus();
  return [
    `${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${type()} ${release()}, Node ${process.version}`,
    `load average ${loadavg()[0]?.toFixed(2) ?? '?'} at the end`,
  ];
}

/** The version that a program prints; empty if the program is missing. */
export function versionOf(command: string, ...args: readonly string[]): string[] {
  const { stdout, status } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? [stdout.trim()] : [];
}

/** Resident memory of a process, in MB (Linux proc(5)). */
export function memoryOf(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}

/** Processor time of a process in ms, in user mode and in the kernel. */
export function processorTimeOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}

/** Number of open sockets of a process. */
export function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((entry) => {
    try {
      return readlinkSync(`${folder}/${entry}`).startsWith('socket:');
    } catch {
      // Closed after it was listed.
      return false;
    }
  }).length;
}
