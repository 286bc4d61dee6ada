import { delimiter, join } from 'node:path';
import { repository } from '../harness/repository.ts';
import { runCommand } from './run-command.ts';
import { sum, type Tally } from './tally.ts';

/** Hashes of the files that tsc has checked: the next check takes only those that changed, and those that depend on them. */
const CHECKED_TYPES = 'node_modules/.cache/tsc.tsbuildinfo';
const CHECKED_WEB_TYPES = 'node_modules/.cache/tsc-web.tsbuildinfo';

/** Each check counts as one test. */
const CHECKS = [
  { name: 'format', command: 'oxfmt --check', fix: 'npm run format' },
  { name: 'lint', command: 'oxlint --deny-warnings' },
  { name: 'types', command: `tsc -p . --incremental --tsBuildInfoFile ${CHECKED_TYPES}` },
  { name: 'types of web', command: `tsc -p web --incremental --tsBuildInfoFile ${CHECKED_WEB_TYPES}` },
  { name: 'unused', command: 'knip' },
  { name: 'generated', command: 'node scripts/generate.ts --check', fix: 'npm run generate' },
] satisfies Check[];

interface Check {
  name: string;
  command: string;
  /** Command that fixes the findings, if there is one. */
  fix?: string;
}

/** Runs the static checks. Each of them uses all processors. */
export async function runStaticChecks(): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const check of CHECKS) tallies.push(await runCheck(check));
  return sum(tallies);
}

async function runCheck({ name, command, fix }: Check): Promise<Tally> {
  const started = performance.now();
  // With node_modules/.bin first on the path, so that the project's own tools are used.
  const path = [join(repository, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const { code, output } = await runCommand(command, { cwd: repository, env: { ...process.env, PATH: path } });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code === 0) {
    console.log(`ok      ${name} (${seconds} s)`);
    return { passed: 1, failed: [], skipped: [] };
  }
  console.log(`FAILED  ${name} (${seconds} s): ${command}\n${output}`);
  if (fix !== undefined) console.log(`To fix it: ${fix}`);
  return { passed: 0, failed: [`${name}: ${command}`], skipped: [] };
}
