import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheDirectory } from './cache.ts';
import { sourceOf, type ToolName } from './catalogue.ts';
import { findPreviousRelease } from './previous-release.ts';
import { findPython } from './python-environment.ts';

/**
 * Path of a program, or undefined if the machine does not have it. Kubernetes programs are searched in the order of
 * controller-runtime's envtest: `TEST_ASSET_<NAME>`, `$KUBEBUILDER_ASSETS`, the cache, and
 * `/usr/local/kubebuilder/bin`. Debian programs and clients are also searched on the PATH; servers are not, because
 * their version would be unknown.
 */
export function findTool(name: ToolName, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const source = sourceOf(name);
  if ('history' in source) return findPreviousRelease(environment);
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

/** Some distributions have ipmitool in /usr/sbin, which is not on every user's PATH. */
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
