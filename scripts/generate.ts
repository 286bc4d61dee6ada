#!/usr/bin/env node
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { generatedFiles } from './generated-files.ts';

/**
 * `node scripts/generate.ts` writes the files generated from api/, the CRDs of the chart and docs/api.md, and the chart
 * of docs/benchmarks.md. With `--check` it writes nothing, prints the outdated files, and exits with 1 if there are
 * any.
 */
const root = join(import.meta.dirname, '..');
const check = process.argv.slice(2).includes('--check');
const stale: string[] = [];

for (const [path, content] of Object.entries(generatedFiles())) {
  const file = join(root, path);
  if ((await readIfThere(file)) === content) continue;
  stale.push(relative(root, file));
  if (check) continue;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

for (const path of stale) console.log(check ? `stale: ${path} (run: node scripts/generate.ts)` : `wrote ${path}`);
if (check && stale.length > 0) process.exitCode = 1;

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
