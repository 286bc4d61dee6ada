import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheRoot } from './cache.ts';
import { repository } from '../harness/repository.ts';
import { withLock } from './lock.ts';

/** The folder of Python programs and their pinned requirements. */
export const PYTHON_FOLDER = join(repository, 'test/tools/python');
/** Name of a requirements file without `.txt`: for pyghmi, the Redfish validators and clients, Ansible, Ironic, or asyncvnc. */
export type Requirements =
  | 'requirements'
  | 'redfish-requirements'
  | 'ansible-requirements'
  | 'ironic-requirements'
  | 'vnc-requirements';
const INSTALL_TIMEOUT = 300_000;
/** Written last, so that an interrupted installation is not used. */
const COMPLETE = 'complete';

/**
 * Path of a Python with the requirements. On first use it is installed in `$XDG_CACHE_HOME/groundcrew`, only from
 * wheels with pinned hashes. Throws if there is no Python ≥ 3.11 with venv, or if pip fails.
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
    // Without compilation the installation takes a quarter of the time: most of Ansible is never imported, and the rest
    // is compiled on import.
    const how = ['--require-hashes', '--only-binary=:all:', '--no-compile'];
    await run(python, ['-m', 'pip', 'install', ...how, '-r', file]);
    writeFileSync(join(folder, COMPLETE), '');
  });
  return python;
}

/** Path of that Python if it is already installed. */
export function findPython(
  environment: NodeJS.ProcessEnv,
  requirements: Requirements = 'requirements',
): string | undefined {
  const folder = environmentFolder(readFileSync(fileOf(requirements)), environment);
  return existsSync(join(folder, COMPLETE)) ? join(folder, 'bin/python') : undefined;
}

/** The pinned version of pyghmi. */
export function pyghmiVersion(requirements = readFileSync(fileOf('requirements'), 'utf8')): string {
  return /^pyghmi==([\w.]+)/m.exec(requirements)?.[1] ?? 'of unknown version';
}

function fileOf(requirements: Requirements): string {
  return join(PYTHON_FOLDER, `${requirements}.txt`);
}

/** Folder of the environment with these requirements. */
export function environmentFolder(requirements: Buffer, environment: NodeJS.ProcessEnv = process.env): string {
  const hash = createHash('sha256').update(requirements).digest('hex').slice(0, 12);
  return join(cacheRoot(environment), `python-${hash}`);
}

/** Throws with the last line of the program's output, which in pip is the error message. */
async function run(command: string, args: string[]): Promise<void> {
  try {
    await promisify(execFile)(command, args, { timeout: INSTALL_TIMEOUT });
  } catch (cause) {
    const said = cause instanceof Error ? cause.message.trim().split('\n').at(-1) : undefined;
    throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${said ?? 'cannot be run'}`, { cause });
  }
}
