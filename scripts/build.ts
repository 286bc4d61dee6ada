/** Builds what is shipped: `dist/groundcrew.js`, the command with its parts in chunks, and `dist/api`, the package's `groundcrew/api`. `--without-sandbox` leaves out the embedded cluster, as in the image. */
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
// Without it @peculiar/x509 refuses to load.
import 'reflect-metadata';

const root = new URL('..', import.meta.url).pathname;
const dist = join(root, 'dist');
const withoutSandbox = process.argv.includes('--without-sandbox');

/**
 * One file for what every command needs, and a chunk for each part that is imported when it is asked for: an agent loads
 * nothing of the manager or the sandbox.
 */
async function bundle(): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { groundcrew: 'cli/main.ts' },
    outdir: dist,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Not the names: people read them in stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // CommonJS packages in the bundle require Node's own modules.
    banner: {
      js: "import { createRequire as groundcrewRequire } from 'node:module'; const require = groundcrewRequire(import.meta.url);",
    },
    plugins: withoutSandbox ? [noSandbox, namedExports] : [namedExports],
    logLevel: 'warning',
    metafile: true,
  });
  for (const [file, { bytes, entryPoint }] of Object.entries(metafile.outputs)) {
    if (bytes > 20_000 || file.endsWith('groundcrew.js')) {
      process.stdout.write(`${String(Math.ceil(bytes / 1024)).padStart(6)} KiB  ${file}  ${entryPoint ?? ''}\n`);
    }
  }
}

/**
 * `await import('pino')` gives `pino` by name in Node, which finds the names that a CommonJS package exports; esbuild gives
 * `default` alone. So the bundle names what Node names.
 */
const namedExports: Plugin = {
  name: 'named-exports',
  setup(bundler) {
    bundler.onResolve({ filter: /^[@a-z]/ }, ({ kind, path, namespace }) => {
      const isOurs = kind === 'dynamic-import' && namespace === 'file' && !path.startsWith('node:');
      return isOurs ? { path, namespace: 'named' } : undefined;
    });
    bundler.onLoad({ filter: /.*/, namespace: 'named' }, async ({ path }) => {
      const names = Object.keys((await import(path)) as object);
      const from = JSON.stringify(path);
      const contents = names.includes('module.exports')
        ? `import all from ${from}; export default all; export const { ${names.filter(isIdentifier).join(', ')} } = all;`
        : `export * from ${from}; ${names.includes('default') ? `export { default } from ${from};` : ''}`;
      return { contents, resolveDir: root };
    });
  },
};

/** In the image `groundcrew sandbox` only says where it is: the embedded cluster is for laptops and tests. */
const noSandbox: Plugin = {
  name: 'no-sandbox',
  setup(bundler) {
    bundler.onResolve({ filter: /\/run\.ts$/ }, ({ path, importer }) =>
      importer.endsWith('cli/sandbox/command.ts') ? { path, namespace: 'no-sandbox' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'no-sandbox' }, () => ({
      contents: `export async function runSandbox(options, isGiven, { stderr }) {
        stderr.write('The image does not contain the sandbox. Run it from the repository or the npm package: npx groundcrew sandbox\\n');
        return 1;
      }`,
    }));
  },
};

function isIdentifier(name: string): boolean {
  return name !== 'default' && /^[\w$]+$/.test(name);
}

/** JavaScript and types of the resources, for programs that use them without Groundcrew's code. */
function emitApi(): void {
  const options = ['--noEmit', 'false', '--declaration', '--rootDir', 'api', '--outDir', join(dist, 'api')];
  const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'scripts/tsconfig.api.json', ...options], {
    cwd: root,
    stdio: 'inherit',
  });
  if (tsc.status !== 0) process.exitCode = 1;
}

await rm(dist, { recursive: true, force: true });
emitApi();
await bundle();
