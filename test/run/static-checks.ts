import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { repository } from '../harness/repository.ts';
import { sum, type Tally } from './tally.ts';

/** Each counts as one test. */
const CHECKS = [
  { name: 'format', command: 'prettier --check --cache --log-level=warn .', mend: 'npx prettier --write .' },
  {
    name: 'lint',
    command: 'eslint --max-warnings=0 .',
    cached: '--cache --cache-location=node_modules/.cache/eslint/',
  },
  { name: 'types', command: 'tsc -p .' },
  { name: 'unused', command: 'knip' },
  { name: 'generated', command: 'node scripts/generate.ts --check', mend: 'npm run generate' },
] as const satisfies Check[];

interface Check {
  name: string;
  command: string;
  /** Options that let it skip files that have not changed, at the price of what a change elsewhere does to them. */
  cached?: string;
  /** Line that mends what the check finds, where there is one. */
  mend?: string;
}

/** Runs the checks that need no running code: lint, which takes as long as the others together, beside them. */
export async function runStaticChecks(options: { cached: boolean }): Promise<Tally> {
  const checks = CHECKS.map(({ command, ...check }: Check) => ({
    ...check,
    command: options.cached && check.cached !== undefined ? `${command} ${check.cached}` : command,
  }));
  const beside = checks.filter(({ name }) => name === 'lint');
  const inTurn = checks.filter(({ name }) => name !== 'lint');
  return sum((await Promise.all([runInTurn(beside), runInTurn(inTurn)])).flat());
}

async function runInTurn(checks: readonly Check[]): Promise<Tally[]> {
  const tallies: Tally[] = [];
  for (const check of checks) tallies.push(await runCheck(check));
  return tallies;
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

/** With the project's own tools first on the path, whatever the machine has. */
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
