import { CONTENT_TYPE, counter, exposition, gauge, type Family } from './exposition.ts';

/** What `groundcrew_build_info` says of a process. */
export interface BuildInfo {
  component: 'bmc-agent' | 'dhcp-agent';
  version: string;
}

/** The metrics of an agent and those of its process, for `/metrics`. */
export function processMetrics(
  build: BuildInfo,
  families: () => readonly Family[],
): { parts(): readonly string[]; readonly contentType: string } {
  const started = Math.round(Date.now() / 1000 - process.uptime());
  return {
    contentType: CONTENT_TYPE,
    parts: () => [exposition([...families(), ...ofProcess(build, started)])],
  };
}

function ofProcess({ component, version }: BuildInfo, started: number): Family[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: 'groundcrew_build_info',
      help: 'Always 1; the labels say which program this is',
      type: 'gauge',
      samples: [{ labels: { component, version }, value: 1 }],
    },
    gauge('process_resident_memory_bytes', 'Resident memory size in bytes', process.memoryUsage.rss()),
    gauge('process_start_time_seconds', 'Start time of the process since unix epoch in seconds', started),
    counter('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds', (user + system) / 1e6),
  ];
}
