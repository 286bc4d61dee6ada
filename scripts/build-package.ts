/**
 * Builds a workspace of `packages/` for npm: `npm run build --workspace packages/apiserver` writes JavaScript, types and a
 * package.json into its `dist` (or the folder given), which `npm pack` and `npm publish` take. The workspace itself runs
 * from TypeScript, which Node does not accept below node_modules.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

interface Manifest {
  exports: Record<string, string>;
  [key: string]: unknown;
}

const root = resolve(import.meta.dirname, '..');
const source = process.cwd();
const target = resolve(process.argv[2] ?? 'dist');
const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
const entries = Object.values(manifest.exports);

rmSync(target, { recursive: true, force: true });
compile(existsSync(join(source, 'example.ts')) ? [...entries, './example.ts'] : entries);
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published(manifest), undefined, 2)}\n`);
cpSync(join(source, 'README.md'), join(target, 'README.md'));
cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));

/** Emits what the files import of this package, so neither tests nor suites. */
function compile(files: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-build-'));
  const options = {
    noEmit: false,
    declaration: true,
    // As written: for an older target, tsc 7.0.2 emits a class with static fields of itself wrongly.
    target: 'esnext',
    // Imports of other packages are found there too. Their output is dropped.
    rootDir: join(root, 'packages'),
    outDir: join(folder, 'out'),
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions: options, include: [] };
  try {
    const inputs = files.map((file) => join(source, file));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, files: inputs }));
    const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' });
    if (tsc.status !== 0) throw new Error(`tsc failed for ${source}: see its output above`);
    cpSync(join(folder, 'out', basename(source)), target, { recursive: true });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The package.json of the built package: the same, with the built files as its exports. */
function published({ exports, scripts: _scripts, private: _private, ...rest }: Manifest): object {
  const built = Object.entries(exports).map(([name, file]) => {
    const path = file.replace(/\.ts$/, '');
    return [name, { types: `${path}.d.ts`, default: `${path}.js` }];
  });
  return { ...rest, exports: Object.fromEntries(built) as object };
}
