import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { OURS, type Measurement } from '../measurement.ts';
import { bundleScript } from '../image.ts';

const RUNS = 5;
/** The program's own form: µs of a datagram, by what is measured. */
type Times = Record<string, { groundcrew: number; 'npm dhcp'?: number }>;

/** What a datagram takes without sockets: ours from the datagram to the answer, of npm dhcp parse and format alone. */
export async function measureHandlers(progress: (line: string) => void): Promise<Measurement[]> {
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
