import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repository } from '../harness/repository.ts';

/** Node's options in the image; they determine the memory of a process. */
export function imageNodeOptions(): string[] {
  // Docker's exec form is a JSON array of strings.
  return (JSON.parse(dockerfileLine('ENTRYPOINT')) as string[]).filter((argument) => argument.startsWith('--'));
}

/** The environment in the image; it determines the memory, too. */
export function imageEnvironment(): Record<string, string> {
  return Object.fromEntries(
    dockerfileLine('ENV')
      .split(' ')
      .map((variable) => variable.split('=', 2) as [string, string]),
  );
}

/** The argument of an instruction of the Dockerfile. */
function dockerfileLine(instruction: 'ENTRYPOINT' | 'ENV'): string {
  const dockerfile = readFileSync(join(repository, 'Dockerfile'), 'utf8');
  const line = new RegExp(`^${instruction} (.*)$`, 'm').exec(dockerfile)?.[1];
  if (line === undefined) throw new Error(`the Dockerfile has no ${instruction}`);
  return line;
}

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
