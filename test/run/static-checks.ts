import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { repository } from '../harness/repository.ts';
import { sum, type Tally } from './tally.ts';

/** Each check counts as one test. */
const CHECKS = [
  { name: 'format', command: 'oxfmt --check', mend: 'npm run format' },
  { name: 'lint', command: 'oxlint --deny-warnings' },
  { name: 'types', command: 'tsc -p .' },
  { name: 'unused', command: 'knip' },
  { name: 'generated', command: 'node scripts/generate.ts --check', mend: 'npm run generate' },
] satisfies Check[];

interface Check {
  name: string;
  command: string;
  /** Command that fixes the findings, if there is one. */
  mend?: string;
}

/** Runs the static checks. Each of them uses all processors. */
export async function runStaticChecks(): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const check of CHECKS) tallies.push(await runCheck(check));
  return sum(tallies);
}

async function runCheck({ name, command, mend }: Check): Promise<Tally> {
  const started = performance.now();
  const { code, output } = await run(command);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code === 0) {
    console.log(`ok      ${name} (${seconds} s)`);
    return { passed: 1, failed: [], skipped: [] };
  }
  console.log(`FAILED  ${name} (${seconds} s): ${command}\n${output}`);
  if (mend !== undefined) console.log(`This mends it: ${mend}`);
  return { passed: 0, failed: [`${name}: ${command}`], skipped: [] };
}

/** With node_modules/.bin first on the path, so that the project's own tools are used. */
async function run(command: string): Promise<{ code: number | null; output: string }> {
  const [program = '', ...args] = command.split(' ');
  const path = [join(repository, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  return await new Promise((resolve) => {
    const child = spawn(program, args, { cwd: repository, env: { ...process.env, PATH: path } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', (error) => {
      resolve({ code: 1, output: error.message });
    });
    child.on('close', (code) => {
      resolve({ code, output });
    });
  });
}
