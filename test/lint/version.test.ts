import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { versionPlaces } from '../../scripts/version-places.ts';
import { repository } from '../harness/repository.ts';

const read = (file: string): string => readFileSync(join(repository, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

it.each(versionPlaces(repository))('$file has the version of package.json', ({ file, rewrite }) => {
  const text = read(file);
  expect(rewrite(text, version)).toBe(text);
  expect(rewrite(text, '9.9.9')).not.toBe(text);
});

it('the changelog begins with the version of package.json', () => {
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
});
