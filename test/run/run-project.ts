import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../harness/repository.ts';
import { failedFiles, readReport, withFilesAgain, type Report } from './read-report.ts';
import { sum, type Tally } from './tally.ts';
import type { Project } from './tiers.ts';

/** Maximum number of failed files that run a second time; more failures are not a race. */
const MOST_UNSTEADY = 3;
const MOST_CONTROL_PLANES = 4;
/** Arguments of the two runs of the unit tests in CI. Fuzz tests are apart: with coverage they take three times as long. */
const IN_CI = [['--coverage', '--exclude=**/*.fuzz.test.ts'], ['.fuzz.test.ts']];

/**
 * Runs one project of vitest.config.ts with progress output. In projects with real processes, sockets and clocks, a few
 * failed files run a second time; tests that pass then are reported as unsteady.
 *
 * @param filters folders and files; empty: all of the project's
 */
export async function runProject(project: Project, filters: readonly string[]): Promise<Tally> {
  if (project !== 'unit' || filters.length > 0 || process.env['CI'] !== 'true') return await run(project, filters);
  const tallies: Tally[] = [];
  for (const args of IN_CI) tallies.push(await run(project, args));
  return sum(tallies);
}

/** @param args files and folders, and options of vitest */
async function run(project: Project, args: readonly string[]): Promise<Tally> {
  const first = await runFiles(project, args);
  if ('failure' in first) return { passed: 0, failed: [first.failure], skipped: [] };
  const tally = tallyOf(project, first);
  const files = failedFiles(first.report);
  if (project === 'unit' || files.length === 0 || files.length > MOST_UNSTEADY) return tally;
  console.log(`\n=== ${project}: ${files.length} of its files once more`);
  const again = await runFiles(project, files);
  if ('failure' in again) return tally;
  const both = tallyOf(project, { code: again.code, report: withFilesAgain(first.report, again.report) });
  return { ...both, unsteady: tally.failed.filter((name) => !both.failed.includes(name)) };
}

function tallyOf(project: Project, { code, report }: { code: number; report: Report }): Tally {
  const tally = readReport(report, repository);
  // An error outside of tests, or coverage below its threshold: all tests may have passed.
  if (code === 0 || tally.failed.length > 0) return tally;
  return { ...tally, failed: [`${project}: vitest ended with ${code}; see above`] };
}

async function runFiles(
  project: Project,
  args: readonly string[],
): Promise<{ code: number; report: Report } | { failure: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-report-'));
  try {
    const file = join(folder, 'report.json');
    const code = await vitest(project, file, args);
    if (!existsSync(file)) return { failure: `${project}: vitest ended with ${code} and no report` };
    // vitest has just written it.
    return { code, report: JSON.parse(readFileSync(file, 'utf8')) as Report };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function vitest(project: Project, report: string, args: readonly string[]): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      join(repository, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...args,
      `--project=${project}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      `--maxWorkers=${workersOf(project)}`,
    ],
    // Go's servers collect garbage less often: memory is not short, processors are.
    { cwd: repository, stdio: ['ignore', 'inherit', 'inherit'], env: { GOGC: '400', ...process.env } },
  );
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

/**
 * Test files of the kubernetes and e2e tiers wait for half of their time, so more run than there are processors. In the
 * kubevirt tier tests of one file run at the same time, and the other tiers compute.
 */
function workersOf(project: Project): number {
  const processors = availableParallelism();
  const workers = project === 'kubernetes' || project === 'e2e' ? processors + 2 : processors + 1;
  // Each worker of a real server has its own control plane, which takes about 1 GB.
  const isReal = project === 'kubernetes' || project === 'kubevirt';
  return isReal ? Math.min(workers, MOST_CONTROL_PLANES) : workers;
}
