import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory, moduleDirectory, toolsOf } from './cache.ts';
import { sourceOf } from './catalogue.ts';
import { withLock } from './lock.ts';

const PROGRESS_INTERVAL = 30_000;

/**
 * Compiles a module's programs into the cache. If several processes call it at the same time, one builds and the others
 * wait.
 */
export async function buildModule(module: string, log: (line: string) => void): Promise<void> {
  const directory = cacheDirectory(module);
  mkdirSync(directory, { recursive: true });
  await withLock(`${directory}.lock`, async () => {
    for (const name of toolsOf(module)) await buildTool(name, module, directory, log);
  });
}

async function buildTool(
  name: ReturnType<typeof toolsOf>[number],
  module: string,
  directory: string,
  log: (line: string) => void,
): Promise<void> {
  const source = sourceOf(name);
  if (!('module' in source)) return;
  const scratch = mkdtempSync(join(directory, '.build-'));
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  log(`building ${name} from its Go module (minutes at first, seconds from Go's cache)`);
  const progress = setInterval(() => {
    log(`building ${name}: ${seconds()}`);
  }, PROGRESS_INTERVAL);
  try {
    const flags = ['-s', '-w', ...(source.linkerFlags ?? [])].join(' ');
    await run(
      'go',
      [
        ...['build', '-trimpath', '-buildvcs=false', `-ldflags=${flags}`, `-tags=${(source.tags ?? []).join(',')}`],
        ...['-o', join(scratch, name), source.package],
      ],
      moduleDirectory(module),
    );
    // Renamed when complete, so that an interrupted build is not used.
    renameSync(join(scratch, name), join(directory, name));
    log(`built ${name} in ${seconds()}`);
  } finally {
    clearInterval(progress);
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function run(command: string, args: string[], cwd: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'inherit', 'pipe'],
      env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' },
    });
    let tail = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-4000);
    });
    child.on('error', (cause) => {
      reject(new Error(`${command} cannot be run; it is needed to build the test programs`, { cause }));
    });
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} in ${cwd} ended with ${code ?? 'a signal'}:\n${tail}`));
    });
  });
}
