import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** What the figures depend on. */
export function machineFacts(): string[] {
  const processors = cpus();
  return [
    `${processors.length} × ${processors[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${type()} ${release()}, Node ${process.version}`,
    `load average ${loadavg()[0]?.toFixed(2) ?? '?'} as it ended`,
  ];
}
