import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../harness/repository.ts';
import { fillPath, npmSettings } from './bare-environment.ts';
import { runCommand } from './run-command.ts';
import { sum, type Tally } from './tally.ts';

/** All tests. */
const ALL = ['npm test'];
/** The parts that depend most on the machine: on programs, files, sockets and folders outside the repository. */
const SOME = [
  'npm test -- unit agent/ cli/ packages/ test/',
  'npm test -- embedded packages/kubevirt-simulator/suites/kubevirt/run-strategies packages/apiserver/contract/writes/builtins test/suites/manager/uninstall',
  'npm test -- e2e test/e2e/sandbox.test.ts test/e2e/ipmi/holes.test.ts',
];
/** Maximum characters shown of a failed command's output. */
const SHOWN = 20_000;

/**
 * Runs the README's commands on a minimal machine: the last commit, cloned into an empty folder, with an empty
 * environment, a new HOME, and a PATH of node, npm, git, a shell and coreutils. Each command counts as one test.
 */
export async function runBare(options: { full: boolean }): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bare-'));
  const env = { HOME: join(folder, 'home'), PATH: join(folder, 'path') };
  const checkout = join(folder, 'groundcrew');
  try {
    mkdirSync(env.HOME);
    fillPath(env.PATH, process.env['PATH'] ?? '');
    const settings = npmSettings(process.env, join(homedir(), '.npmrc'));
    const tallies = [
      await check(`git clone --quiet --depth 1 ${pathToFileURL(repository).href} ${checkout}`, { cwd: folder, env }),
      await check('npm ci', { cwd: checkout, env: { ...env, ...settings } }),
    ];
    // At the same time: some of them mostly wait.
    const tests = (options.full ? ALL : SOME).map((command) =>
      check(command, { cwd: checkout, env, says: /^\d+ passed, 0 failed$/m }),
    );
    return sum([...tallies, ...(await Promise.all(tests))]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface CheckOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** A line that the command must print. */
  says?: RegExp;
}

async function check(command: string, { cwd, env, says = /^/ }: CheckOptions): Promise<Tally> {
  console.log(`running ${command}`);
  const started = performance.now();
  const { code, output } = await runCommand(command, { cwd, env });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const said = says.exec(output)?.[0];
  if (code === 0 && said !== undefined) {
    console.log(`ok      ${command} (${seconds} s) ${said}`.trimEnd());
    return { passed: 1, failed: [], skipped: [] };
  }
  console.log(`${output.slice(-SHOWN)}\nFAILED  ${command} (${seconds} s): it ended with ${code}`);
  return { passed: 0, failed: [`bare: ${command}`], skipped: [] };
}
