#!/usr/bin/env node
/**
 * `npm run release -- <next version>`: the version in package.json is released as a commit with a tag `v<version>`, and a second commit
 * begins the next version. Nothing is pushed. The tag, once pushed, has .github/workflows/release.yaml publish the files.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nextChangelog, releasedChangelog } from './changelog.ts';
import { versionPlaces } from './version-places.ts';

/** The record of the release that tests build and run beside this version. */
const PREVIOUS = 'test/tools/previous-release.json';
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-[a-z0-9.]+)?$/;

const [next = ''] = process.argv.slice(2);
const root = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const write = (file: string, text: string): void => {
  writeFileSync(join(root, file), text);
};
const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

const { version } = JSON.parse(read('package.json')) as { version: string };
const tag = `v${version}`;
const problem = whyNot();
if (problem === undefined) {
  release();
  begin();
  console.log(`${tag} is made. If \`git show ${tag}\` is right: git push --atomic origin HEAD ${tag}`);
} else {
  console.error(problem);
  process.exitCode = 1;
}

function whyNot(): string | undefined {
  if (!VERSION.test(next)) return 'Name the version after this one: npm run release -- 1.2.3';
  if (!isLater(next, version)) return `${next} is not later than ${version}, which is to be released.`;
  if (git('status', '--porcelain') !== '') return 'There are changes that are not committed: commit or remove them.';
  if (git('tag', '--list', tag) !== '') return `The tag ${tag} exists already.`;
  return undefined;
}

function isLater(one: string, other: string): boolean {
  const numbers = (text: string): number[] => (VERSION.exec(text) ?? []).slice(1, 4).map(Number);
  const differs = numbers(one).findIndex((number, index) => number !== numbers(other)[index]);
  return differs >= 0 && (numbers(one)[differs] ?? 0) > (numbers(other)[differs] ?? 0);
}

function release(): void {
  const date = new Date().toISOString().slice(0, 10);
  write('CHANGELOG.md', releasedChangelog(read('CHANGELOG.md'), date));
  git('commit', '--quiet', '--all', '--message', `release: ${version}`);
  git('tag', '--annotate', '--message', `Groundcrew ${version}`, tag);
}

function begin(): void {
  for (const { file, rewrite } of versionPlaces(root)) write(file, rewrite(read(file), next));
  write('CHANGELOG.md', nextChangelog(read('CHANGELOG.md'), version, next));
  write(PREVIOUS, `${JSON.stringify({ version, commit: git('rev-parse', 'HEAD') }, undefined, 2)}\n`);
  git('commit', '--quiet', '--all', '--message', `release: ${next} begins`);
}
