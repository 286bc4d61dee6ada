import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** What all figures depend on. */
export function machineInputs(): string[] {
  const processors = cpus();
  return [
    `${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${type()} ${release()}, Node ${process.version}`,
    `load average ${loadavg()[0]?.toFixed(2) ?? '?'} as it ended`,
  ];
}

/** What a program says of itself; nothing where it is missing. */
export function factOf(command: string, ...args: readonly string[]): string[] {
  const { stdout, status } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? [stdout.trim()] : [];
}
