import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** What the figures depend on. */
export function machineFacts(): string[] {
  const processors = cpus();
  const programs = [
    ['ipmitool', '-V'],
    ['python3', '--version'],
    ['dpkg-query', '--show', '--showformat=${Package} ${Version}', 'openipmi'],
  ] as const;
  return [
    `${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${type()} ${release()}, Node ${process.version}`,
    ...programs.flatMap(([command, ...args]) => outputOf(command, args)),
    `load average ${loadavg()[0]?.toFixed(2) ?? '?'} as it ended`,
  ];
}

/** What a program says of itself; nothing where it is missing. */
function outputOf(command: string, args: string[]): string[] {
  const { stdout, status } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? [stdout.trim()] : [];
}
