import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that the printed lines use, and the packages that bring them. */
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

/** The line that installs a program here, or undefined when it is on the path already. */
export function installLine(tool: Tool, path: string | undefined, root: boolean): string | undefined {
  const folders = (path ?? '').split(delimiter);
  if (isOn(folders, tool)) return undefined;
  for (const [installer, verb] of Object.entries(INSTALL) as [keyof typeof INSTALL, string][]) {
    if (!isOn(folders, installer)) continue;
    return `${root ? '' : 'sudo '}${installer} ${verb} ${PACKAGES[tool][installer]}`;
  }
  return `install ${tool} with your system's package manager`;
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
