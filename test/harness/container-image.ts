import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { promisify } from 'node:util';
import { repository } from './repository.ts';

const run = promisify(execFile);

/** The program of the image with its first arguments. */
export function imageEntrypoint(): string[] {
  // Docker's exec form is a JSON array of strings.
  return JSON.parse(dockerfileLine('ENTRYPOINT')) as string[];
}

/** Node's options in the image; they determine the memory of a process. */
export function imageNodeOptions(): string[] {
  return imageEntrypoint().filter((argument) => argument.startsWith('--'));
}

/** The environment in the image; it determines the memory, too. */
export function imageEnvironment(): Record<string, string> {
  return Object.fromEntries(
    dockerfileLine('ENV')
      .split(' ')
      .map((variable) => variable.split('=', 2) as [string, string]),
  );
}

/** `uid:gid` */
export function imageUser(): string {
  return dockerfileLine('USER');
}

/** The argument of an instruction of the Dockerfile. */
function dockerfileLine(instruction: 'ENTRYPOINT' | 'ENV' | 'USER'): string {
  const dockerfile = readFileSync(join(repository, 'Dockerfile'), 'utf8');
  const line = new RegExp(`^${instruction} (.*)$`, 'm').exec(dockerfile)?.[1];
  if (line === undefined) throw new Error(`the Dockerfile has no ${instruction}`);
  return line;
}

/** What kubelet mounts into the containers of the manager and the agents. */
export const MOUNTS = {
  serviceAccount: '/var/run/secrets/kubernetes.io/serviceaccount',
  snapshots: '/var/lib/groundcrew',
} as const;

/**
 * Writes the files of the image into a new folder: ours as the Dockerfile does, and of the base image those that the command
 * uses, Node with its libraries, which are this machine's.
 */
export async function assembleImage(folder: string): Promise<void> {
  mkdirSync(folder);
  await buildFrom(buildContext(), folder);
  const libraries = await sharedLibraries(process.execPath);
  for (const file of libraries) cpSync(file, join(folder, file), { recursive: true, dereference: true });
  const [node = ''] = imageEntrypoint();
  mkdirSync(join(folder, dirname(node)), { recursive: true });
  cpSync(process.execPath, join(folder, node), { dereference: true });
  for (const mount of ['/proc', '/dev', ...Object.values(MOUNTS)]) mkdirSync(join(folder, mount), { recursive: true });
  mkdirSync(join(folder, 'etc'), { recursive: true });
  writeFileSync(join(folder, 'etc/passwd'), 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n');
}

/** A copy of what .dockerignore lets Docker see, so that a build that needs another file fails. Returns its folder. */
function buildContext(): string {
  const context = mkdtempSync(join(tmpdir(), 'groundcrew-context-'));
  const lines = readFileSync(join(repository, '.dockerignore'), 'utf8').split('\n').filter(isPattern);
  const ignored = lines.filter((line) => !line.startsWith('!') && line !== '*');
  for (const line of lines.filter((each) => each.startsWith('!'))) {
    const isSent = (file: string) => !ignored.some((pattern) => matchesGlob(relative(repository, file), pattern));
    cpSync(join(repository, line.slice(1)), join(context, line.slice(1)), { recursive: true, filter: isSent });
  }
  return context;
}

function isPattern(line: string): boolean {
  return line !== '' && !line.startsWith('#');
}

async function buildFrom(context: string, folder: string): Promise<void> {
  try {
    // In place of `npm ci`.
    symlinkSync(join(repository, 'node_modules'), join(context, 'node_modules'));
    await run(process.execPath, ['scripts/build.ts', '--image', folder], { cwd: context });
  } finally {
    rmSync(context, { recursive: true });
  }
}

/** Paths of the libraries that the dynamic linker loads for a program, and of the linker. */
async function sharedLibraries(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', [program]);
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
}
