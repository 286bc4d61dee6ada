import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../harness/repository.ts';
import { readReport, type Report } from './read-report.ts';
import type { Tally } from './tally.ts';
import type { Project } from './tiers.ts';

/** Runs one project of vitest.config.ts, with its progress on the screen. */
export async function runProject(project: Project): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-report-'));
  try {
    const file = join(folder, 'report.json');
    const code = await vitest(project, file);
    if (!existsSync(file))
      return { passed: 0, failed: [`${project}: vitest ended with ${code} and no report`], skipped: [] };
    // vitest wrote it a moment ago.
    const tally = readReport(JSON.parse(readFileSync(file, 'utf8')) as Report, repository);
    // An error outside every test, or coverage under its threshold: all tests may have passed.
    if (code !== 0 && tally.failed.length === 0) {
      return { ...tally, failed: [`${project}: vitest ended with ${code}; see above`] };
    }
    return tally;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function vitest(project: Project, report: string): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      join(repository, 'node_modules/vitest/vitest.mjs'),
      'run',
      `--project=${project}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(project === 'unit' ? ['--coverage'] : []),
      // Their files have nothing in common, and wait for much of their time: one at a time would leave a processor idle.
      ...(project === 'unit' || project === 'embedded' ? [`--maxWorkers=${availableParallelism()}`] : []),
    ],
    { cwd: repository, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}
