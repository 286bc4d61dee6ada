/**
 * Builds the web applications: `dist/web/<name>` gets their files, with immutable names, compressed ahead of time, and
 * the list that `web/server` serves them by. With `--if-stale` it builds only what is older than its sources.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Plugin } from 'esbuild';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { noticesOf } from './notices.ts';
import { type Manifest, MANIFEST_NAME, type ServedFile } from '../web/server/index.ts';

const root = new URL('..', import.meta.url).pathname;

/** Applications that have sources. */
function applications(): string[] {
  return ['bmc', 'fleet'].filter((name) => existsSync(join(root, 'web', name, 'index.html')));
}

/** Builds those applications whose files are older than their sources. */
export async function buildStaleWeb(): Promise<void> {
  for (const name of applications()) if (isStale(name)) await build(name, join(root, 'dist/web', name));
}

/**
 * Builds all applications.
 *
 * @param folder for `<name>` of each
 * @returns the files with code in them
 */
export async function buildWeb(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const name of applications()) files.push(...(await build(name, join(folder, name))));
  return files;
}

function isStale(name: string): boolean {
  const manifest = join(root, 'dist/web', name, MANIFEST_NAME);
  if (!existsSync(manifest)) return true;
  const built = statSync(manifest).mtimeMs;
  const sources = globSync([`web/{${name},common}/**/*`, 'package-lock.json', 'scripts/{build-web,notices,sbom}.ts'], {
    cwd: root,
  });
  return sources.some((file) => statSync(join(root, file)).mtimeMs > built);
}

/** @returns the files with code in the application */
async function build(name: string, folder: string): Promise<string[]> {
  // Loaded only when something is built.
  const esbuild = await import('esbuild');
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { [name]: `web/${name}/main.tsx` },
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'file' },
    // Paths relative to the page: it may be served below any path.
    publicPath: '.',
    plugins: [xtermStyles],
    // In the file of licences.
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
  });
  const outputs = Object.entries(metafile.outputs);
  const entry = outputs.find(([, { entryPoint }]) => entryPoint === `web/${name}/main.tsx`);
  if (entry === undefined) throw new Error(`esbuild made no file of web/${name}/main.tsx`);
  const [script, { cssBundle }] = entry;
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
  const inputs = Object.keys(metafile.inputs).map((file) => join(root, file));
  const add = (title: string, type: string, content: Buffer<ArrayBuffer>): string => {
    const file = `${title}-${digest(content).slice(0, 8)}.${type}`;
    files.set(file, content);
    return file;
  };
  const names = {
    script: basename(script),
    style: basename(cssBundle ?? ''),
    icon: add('icon', 'svg', await readFile(join(root, 'web/common/icon.svg'))),
    licenses: add('licenses', 'txt', Buffer.from(noticesOf(inputs))),
  };
  const html = await readFile(join(root, 'web', name, 'index.html'), 'utf8');
  files.set(
    'index.html',
    Buffer.from(html.replaceAll(/%(script|style|icon|licenses)%/g, (_, key: keyof typeof names) => names[key])),
  );
  await write(folder, files);
  return inputs;
}

/**
 * Replaces the calls of xterm.js that write style elements and attributes, which the content security policy refuses, by
 * those of `xterm-styles.ts`. A version of xterm.js with other calls fails the build.
 */
const xtermStyles: Plugin = {
  name: 'xterm-styles',
  setup(bundler) {
    bundler.onLoad({ filter: /@xterm\/xterm\/lib\/xterm\.mjs$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const elements = code.replaceAll(/[\w.]+\.createElement\("style"\)/g, 'groundcrewStyleElement()');
      const contents = elements.replaceAll(/\b(\w+)\.setAttribute\("style",/g, 'groundcrewSetStyle($1,');
      if (elements === code || contents === elements) throw new Error('xterm.js sets styles in another way');
      const source = JSON.stringify(join(root, 'web/bmc/console/xterm-styles.ts'));
      const names = 'styleElement as groundcrewStyleElement, setStyle as groundcrewSetStyle';
      return { contents: `import { ${names} } from ${source};\n${contents}`, resolveDir: dirname(path) };
    });
  },
};

/** Writes the files to a new folder and then replaces the old one, so that a reader never finds half of them. */
async function write(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const fresh = `${folder}.new-${process.pid}`;
  await mkdir(fresh, { recursive: true });
  const manifest: Record<string, ServedFile> = {};
  for (const [name, content] of files) {
    await writeFile(join(fresh, name), content);
    const encodings: ServedFile['encodings'][number][] = [];
    for (const [encoding, suffix, compress] of COMPRESSIONS) {
      const compressed = compress(content);
      if (compressed.length > content.length * 0.9) continue;
      encodings.push(encoding);
      await writeFile(join(fresh, name + suffix), compressed);
    }
    const type = TYPES[extname(name)];
    if (type === undefined) throw new Error(`${name} has no content type`);
    manifest[name] = { type, etag: `"${digest(content).slice(0, 22)}"`, isImmutable: name !== 'index.html', encodings };
  }
  await writeFile(join(fresh, MANIFEST_NAME), JSON.stringify(manifest satisfies Manifest, undefined, 1));
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
}

const COMPRESSIONS = [
  ['br', '.br', (content: Buffer) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })],
  ['gzip', '.gz', (content: Buffer) => gzipSync(content, { level: 9 })],
] as const;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html;charset=utf-8',
  '.js': 'text/javascript;charset=utf-8',
  '.css': 'text/css;charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain;charset=utf-8',
};

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'if-stale': { type: 'boolean', default: false } } });
  await (values['if-stale'] ? buildStaleWeb() : buildWeb(join(root, 'dist/web')));
}
