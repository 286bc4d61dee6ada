import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import type { ApiError } from '@groundcrew/controller-runtime';

/** Programs in the printed commands, and the packages that contain them. */
const PACKAGES = {
  ipmitool: { 'apt-get': 'ipmitool', dnf: 'ipmitool', zypper: 'ipmitool', apk: 'ipmitool', pacman: 'ipmitool' },
  kubectl: {
    'apt-get': 'kubernetes-client',
    dnf: 'kubernetes-client',
    zypper: 'kubernetes-client',
    apk: 'kubectl',
    pacman: 'kubectl',
  },
} as const;

const INSTALL = { 'apt-get': 'install', dnf: 'install', zypper: 'install', apk: 'add', pacman: '-S' } as const;

export type Tool = keyof typeof PACKAGES;

/** The command that installs a program on this machine; undefined if the program is on the path. */
export function installLine(tool: Tool, path: string | undefined, root: boolean): string | undefined {
  const folders = (path ?? '').split(delimiter);
  if (isOn(folders, tool)) return undefined;
  for (const [installer, verb] of Object.entries(INSTALL) as [keyof typeof INSTALL, string][]) {
    if (!isOn(folders, installer)) continue;
    return `${root ? '' : 'sudo '}${installer} ${verb} ${PACKAGES[tool][installer]}`;
  }
  return `install ${tool} with your system's package manager`;
}

interface OwnProgram {
  /** Path of Node and of the script. */
  node: string;
  program: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Working directory at the start. */
  folder: string;
}

/** The command that runs this program again: its name if it is on the path, or the npm command that started it. */
export function ownCommand({ node, program, env, folder }: OwnProgram): string {
  if (isOn((env['PATH'] ?? '').split(delimiter), 'groundcrew')) return 'groundcrew';
  if (env['npm_lifecycle_event'] === 'start') return 'npm run -s groundcrew --';
  return [node, program].map((file) => quote(nearest(file, folder))).join(' ');
}

function nearest(file: string, folder: string): string {
  const near = relative(folder, file);
  return near.startsWith('..') || isAbsolute(near) ? file : near;
}

function isOn(folders: readonly string[], program: string): boolean {
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * The server's error as kubectl prints it (cmd/util/helpers.go, StandardErrorMessage and checkErr): an Invalid error
 * lists its causes under the name of the object; any other error is prefixed with its reason and the operation.
 */
export function kubectlError(error: ApiError, doing: string): string {
  const details = error.body?.details;
  if (error.reason === 'Invalid' && details !== undefined) {
    const causes = (details.causes ?? []).map((cause) => `${cause.field ?? ''}: ${cause.message ?? ''}`);
    const head = `The ${details.kind ?? 'object'} "${details.name ?? ''}" is invalid`;
    return causes.length > 1
      ? `${head}: \n${causes.map((cause) => `* ${cause}`).join('\n')}`
      : `${head}: ${causes[0] ?? error.serverMessage}`;
  }
  const server = error.reason === '' ? 'Error from server' : `Error from server (${error.reason})`;
  return `${server}: ${doing}: ${error.serverMessage}`;
}

/** Quotes a word for a POSIX shell if necessary. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
