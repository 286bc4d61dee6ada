/**
 * Builds the release files: `dist/groundcrew.js`, the command with its chunks, `dist/web`, the web applications, their licences, and
 * `dist/api`, the package's `groundcrew/api`. With `--image <folder>` it writes the files of the image there instead, as they are below its root:
 * `app`, without the embedded cluster.
 */
import { spawnSync } from 'node:child_process';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'esbuild';
// @peculiar/x509 requires it.
import 'reflect-metadata';
import { buildWeb } from './build-web.ts';
import { noticesOf } from './notices.ts';
import { packagesOf, sbomOf } from './sbom.ts';

const root = new URL('..', import.meta.url).pathname;
const { image } = parseArgs({ options: { image: { type: 'string' } } }).values;
const app = image === undefined ? root : resolve(image, 'app');
const dist = join(app, 'dist');

/**
 * One file with the common code, and a chunk for each dynamically imported part: an agent loads no code of the manager
 * or the sandbox.
 *
 * @returns the files with code in the bundle
 */
async function bundle(): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { groundcrew: 'cli/main.ts' },
    outdir: dist,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    // Names are not minified, so that stack traces are readable.
    minifySyntax: true,
    minifyWhitespace: true,
    // In the file of licences.
    legalComments: 'none',
    // CommonJS packages in the bundle require Node's own modules.
    banner: {
      js: "import { createRequire as groundcrewRequire } from 'node:module'; const require = groundcrewRequire(import.meta.url);",
    },
    inject: ['scripts/bundle-globals.ts'],
    plugins: [...(image === undefined ? [] : [noSandbox]), namedExports, usedBuiltins],
    logLevel: 'warning',
    metafile: true,
  });
  for (const [file, { bytes, entryPoint }] of Object.entries(metafile.outputs)) {
    if (bytes > 20_000 || file.endsWith('groundcrew.js')) {
      process.stdout.write(`${String(Math.ceil(bytes / 1024)).padStart(6)} KiB  ${file}  ${entryPoint ?? ''}\n`);
    }
  }
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  // The modules of plug-ins are no files.
  const files = inputs.filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && !path.startsWith('builtin:'));
  return files.map(([path]) => resolve(root, path));
}

/**
 * With `await import('pino')` Node provides the named export `pino`, because it detects the names that a CommonJS
 * package exports; esbuild provides only `default`. This plug-in adds Node's names to the bundle.
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

/**
 * An ESM import of a module of Node's evaluates all of its exports, and so loads undici, HTTP/2, worker threads and others
 * that Node itself loads on first use: 5 MB of an agent. The bundle takes only the exports that are used.
 */
const usedBuiltins: Plugin = {
  name: 'used-builtins',
  setup(bundler) {
    // For each importer, because a module of the bundle takes the exports that any of its importers uses.
    bundler.onResolve({ filter: /^node:/ }, ({ kind, path, importer }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin', suffix: `?${relative(root, importer)}` } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      const all = process.getBuiltinModule(path) as object;
      // Unused exports are removed, because their calls are marked as pure.
      const named = Object.keys(all).filter(isIdentifier);
      const contents = [
        `const all = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
        'const pick = (name) => all[name];',
        'export default all;',
        ...named.map(
          (name) => `const own_${name} = /* @__PURE__ */ pick('${name}'); export { own_${name} as ${name} };`,
        ),
      ];
      return { contents: contents.join('\n') };
    });
  },
};

/** In the image `groundcrew sandbox` only prints where to get it: the embedded cluster is for laptops and tests. */
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

/** JavaScript and types of the resources, for programs that use the API without Groundcrew's other code. */
function emitApi(): void {
  const options = ['--noEmit', 'false', '--declaration', '--rootDir', 'api', '--outDir', join(dist, 'api')];
  const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'scripts/tsconfig.api.json', ...options], {
    cwd: root,
    stdio: 'inherit',
  });
  if (tsc.status !== 0) process.exitCode = 1;
}

/** What the image has beside the command. package.json names the version, and tells Node that the bundle is of ES modules. */
async function accompany(files: readonly string[]): Promise<void> {
  for (const file of ['package.json', 'LICENSE']) await cp(join(root, file), join(app, file));
  const sbom = sbomOf(join(root, 'package.json'), packagesOf(files), new Date());
  await writeFile(join(app, 'sbom.spdx.json'), `${JSON.stringify(sbom, undefined, 2)}\n`);
}

await rm(dist, { recursive: true, force: true });
if (image === undefined) emitApi();
const bundled = [...(await bundle()), ...(await buildWeb(join(dist, 'web')))];
await writeFile(join(dist, 'licenses.txt'), noticesOf(bundled));
if (image !== undefined) await accompany(bundled);
