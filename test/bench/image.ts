import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repository } from '../harness/repository.ts';

/** Node's options in the image, which decide what memory a process takes. */
export function imageNodeOptions(): string[] {
  // Docker's exec form is a JSON array of strings.
  return (JSON.parse(dockerfileLine('ENTRYPOINT')) as string[]).filter((argument) => argument.startsWith('--'));
}

/** The image's environment, which decides that too. */
export function imageEnvironment(): Record<string, string> {
  return Object.fromEntries(
    dockerfileLine('ENV')
      .split(' ')
      .map((variable) => variable.split('=', 2) as [string, string]),
  );
}

/** What stands behind an instruction of the Dockerfile. */
function dockerfileLine(instruction: 'ENTRYPOINT' | 'ENV'): string {
  const dockerfile = readFileSync(join(repository, 'Dockerfile'), 'utf8');
  const line = new RegExp(`^${instruction} (.*)$`, 'm').exec(dockerfile)?.[1];
  if (line === undefined) throw new Error(`the Dockerfile has no ${instruction}`);
  return line;
}

/** Builds `dist`, as the image holds it, and gives the path of the command. */
export function buildCommand(): string {
  const { status, stderr } = spawnSync(process.execPath, [join(repository, 'scripts/build.ts')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm run build failed: ${stderr}`);
  return join(repository, 'dist/groundcrew.js');
}

/** One file of a script and all that it imports: what is measured is then not the stripping of types. */
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
