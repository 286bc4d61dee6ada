import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repository } from '../harness/repository.ts';

/**
 * Builds the command as in the image and returns its path.
 *
 * @param image folder for the files of the image; default: builds `dist`, which other programs may build too
 */
export function buildCommand(image?: string): string {
  const args = image === undefined ? [] : ['--image', image];
  const build = [join(repository, 'scripts/build.ts'), ...args];
  const { status, stderr } = spawnSync(process.execPath, build, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm run build failed: ${stderr}`);
  return join(image === undefined ? repository : join(image, 'app'), 'dist/groundcrew.js');
}

/** Bundles a script with its imports, so that type stripping is not measured. Returns the path. */
export async function bundleScript(script: string, folder: string): Promise<string> {
  const outfile = join(folder, `${script.split('/').at(-1)?.replace(/\.ts$/, '') ?? 'script'}.mjs`);
  await build({
    absWorkingDir: repository,
    entryPoints: [script],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    banner: {
      js: "import { createRequire as benchRequire } from 'node:module'; const require = benchRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}
