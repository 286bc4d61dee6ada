import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { bundleScript } from '../image.ts';
import { OURS, type Measurement, type Progress } from '../measurement.ts';

const RUNS = 5;
/** Written by the program: µs for one datagram. */
type Times = Record<string, { groundcrew: number; 'npm dhcp'?: number }>;

/** Measures one datagram without sockets: for ours from the request to the answer, for npm dhcp only parse and format. */
export async function measureHandlers(progress: Progress): Promise<Measurement[]> {
  progress('handlers without sockets');
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bench-handlers-'));
  try {
    const script = await bundleScript(join(import.meta.dirname, 'programs/handler-times.ts'), folder);
    const runs = Array.from({ length: RUNS }, () => {
      return JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' })) as Times;
    });
    return Object.keys(runs[0] ?? {}).flatMap((what) => {
      return ([OURS, 'npm dhcp'] as const).flatMap((server) => {
        const values = runs.flatMap((run) => run[what]?.[server] ?? []);
        return values.length === 0 ? [] : [{ what, server, unit: 'µs' as const, values }];
      });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
