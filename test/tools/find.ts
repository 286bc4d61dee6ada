import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheDirectory } from './cache.ts';
import { sourceOf, type ToolName } from './catalogue.ts';
import { findPython } from './python-environment.ts';

/**
 * Path of a program, or undefined where the machine has none. Kubernetes' own are looked for in the order that
 * controller-runtime's envtest uses: `TEST_ASSET_<NAME>`, `$KUBEBUILDER_ASSETS`, what was built here, and
 * `/usr/local/kubebuilder/bin`. Debian's programs and the clients are also found on the PATH; servers are not, since
 * any version might be there.
 */
export function findTool(name: ToolName, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const source = sourceOf(name);
  if ('python' in source) return findPython(environment, source.python);
  if ('debian' in source && source.file !== undefined) return existsSync(source.file) ? source.file : undefined;
  const candidates =
    'debian' in source
      ? onPath(name, environment)
      : [
          environment[`TEST_ASSET_${name.toUpperCase().replaceAll('-', '_')}`],
          inFolder(environment['KUBEBUILDER_ASSETS'], name),
          join(cacheDirectory(source.module, environment), name),
          join('/usr/local/kubebuilder/bin', name),
          ...(name === 'kubectl' || name === 'helm' ? onPath(name, environment) : []),
        ];
  return candidates.find((path) => path !== undefined && isExecutable(path));
}

function inFolder(folder: string | undefined, name: string): string | undefined {
  return folder === undefined || folder === '' ? undefined : join(folder, name);
}

/** ipmitool is in /usr/sbin on some distributions, which is not on every user's PATH. */
function onPath(name: string, environment: NodeJS.ProcessEnv): string[] {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...folders, '/usr/sbin', '/sbin'].map((folder) => join(folder, name));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
