import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../harness/repository.ts';
import { withLock } from './lock.ts';

/** What is Python here, and the requirements that pin what it needs. */
export const PYTHON_FOLDER = join(repository, 'test/tools/python');
/** Which file of requirements, without `.txt`: pyghmi's, those of Redfish's judges and clients, or Ansible's. */
export type Requirements = 'requirements' | 'redfish-requirements' | 'ansible-requirements';
const INSTALL_TIMEOUT = 300_000;
/** Written last, so that an interrupted installation never looks like an environment. */
const COMPLETE = 'complete';

/**
 * Path of a Python that has the requirements. Made at first, in `$XDG_CACHE_HOME/groundcrew`, of wheels alone whose
 * hashes are pinned. Throws where there is no Python ≥ 3.11 with venv, or where pip cannot have them.
 */
export async function pythonEnvironment(
  log: (line: string) => void,
  requirements: Requirements = 'requirements',
): Promise<string> {
  const file = fileOf(requirements);
  const folder = environmentFolder(readFileSync(file));
  const python = join(folder, 'bin/python');
  mkdirSync(dirname(folder), { recursive: true });
  await withLock(`${folder}.lock`, async () => {
    if (existsSync(join(folder, COMPLETE))) return;
    log(`python3 -m venv ${folder}, and pip install --require-hashes`);
    rmSync(folder, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', folder]);
    // Most of what Ansible brings is never imported, and the rest is compiled when it is: a quarter of the time.
    const how = ['--require-hashes', '--only-binary=:all:', '--no-compile'];
    await run(python, ['-m', 'pip', 'install', ...how, '-r', file]);
    writeFileSync(join(folder, COMPLETE), '');
  });
  return python;
}

/** Path of that Python where it has been made already. */
export function findPython(
  environment: NodeJS.ProcessEnv,
  requirements: Requirements = 'requirements',
): string | undefined {
  const folder = environmentFolder(readFileSync(fileOf(requirements)), environment);
  return existsSync(join(folder, COMPLETE)) ? join(folder, 'bin/python') : undefined;
}

/** The version of pyghmi that the requirements pin. */
export function pyghmiVersion(requirements = readFileSync(fileOf('requirements'), 'utf8')): string {
  return /^pyghmi==([\w.]+)/m.exec(requirements)?.[1] ?? 'of unknown version';
}

function fileOf(requirements: Requirements): string {
  return join(PYTHON_FOLDER, `${requirements}.txt`);
}

/** Where the environment of these requirements is kept. */
export function environmentFolder(requirements: Buffer, environment: NodeJS.ProcessEnv = process.env): string {
  const root = environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const hash = createHash('sha256').update(requirements).digest('hex').slice(0, 12);
  return join(root, 'groundcrew', `python-${hash}`);
}

/** Throws with the last line of what the program said, which with pip is the one that tells. */
async function run(command: string, args: string[]): Promise<void> {
  try {
    await promisify(execFile)(command, args, { timeout: INSTALL_TIMEOUT });
  } catch (cause) {
    const said = cause instanceof Error ? cause.message.trim().split('\n').at(-1) : undefined;
    throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${said ?? 'cannot be run'}`, { cause });
  }
}
