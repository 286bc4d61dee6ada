import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repository } from '../harness/repository.ts';

/** Builds `dist` as in the image and returns the path of the command. */
export function buildCommand(): string {
  const { status, stderr } = spawnSync(process.execPath, [join(repository, 'scripts/build.ts')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm run build failed: ${stderr}`);
  return join(repository, 'dist/groundcrew.js');
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
    target: 'node24',
    banner: {
      js: "import { createRequire as benchRequire } from 'node:module'; const require = benchRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}
