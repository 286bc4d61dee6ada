import { execFileSync } from 'node:child_process';
import { sourceOf, TOOLS, type ToolName } from './catalogue.ts';
import { findTool } from './find.ts';
import { buildModule } from './go-build.ts';
import { buildPreviousRelease } from './previous-release.ts';
import { pythonEnvironment, type Requirements } from './python-environment.ts';

/** The command that installs a missing program. */
export function howToInstall(name: ToolName): string {
  const source = sourceOf(name);
  if ('debian' in source) return `sudo apt-get install ${source.debian}`;
  if ('python' in source) return `npm run tools -- ${name}    (from PyPI; needs Python 3.11 with venv)`;
  if ('history' in source) return 'npm run tools    (needs the history of the repository: git fetch --unshallow)';
  return 'npm run tools    (builds it; needs Go 1.26)';
}

/**
 * Installs all missing programs of `names`: Debian packages with apt-get, which needs root, the others with `go build`,
 * pip or npm into the cache. Throws if an installation fails.
 */
export async function installTools(names: readonly ToolName[], log: (line: string) => void): Promise<void> {
  const missing = names.filter((name) => findTool(name) === undefined);
  const sources = missing.map(sourceOf);
  const packages = [...new Set(sources.flatMap((source) => ('debian' in source ? [source.debian] : [])))];
  if (packages.length > 0) installPackages(packages, log);
  const modules = [...new Set(sources.flatMap((source) => ('module' in source ? [source.module] : [])))];
  for (const module of modules) await buildModule(module, log);
  if (sources.some((source) => 'history' in source)) await buildPreviousRelease(log);
  const python = new Set(sources.flatMap((source) => ('python' in source ? [source.python] : [])));
  for (const requirements of python) await makePythonEnvironment(log, requirements);
}

/** Debian's Python does not include venv. */
async function makePythonEnvironment(log: (line: string) => void, requirements: Requirements): Promise<void> {
  try {
    await pythonEnvironment(log, requirements);
  } catch (error) {
    log(String(error));
    installPackages(['python3-venv'], log);
    await pythonEnvironment(log, requirements);
  }
}

function installPackages(packages: string[], log: (line: string) => void): void {
  log(`apt-get install ${packages.join(' ')}`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  execFileSync('apt-get', ['update', '-qq'], options);
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
}

if (import.meta.main) {
  const built = (Object.keys(TOOLS) as ToolName[]).filter(
    (name) => 'module' in TOOLS[name] || 'history' in TOOLS[name],
  );
  const asked = process.argv.slice(2).filter((name): name is ToolName => name in TOOLS);
  await installTools(asked.length > 0 ? asked : built, (line) => {
    console.log(line);
  });
  for (const name of asked.length > 0 ? asked : built) console.log(`${name}: ${findTool(name) ?? 'missing'}`);
}
