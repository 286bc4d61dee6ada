import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../harness/repository.ts';

const read = (file: string): string => readFileSync(join(repository, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

/** Each place that shows the version of package.json, with a pattern of what stands there. */
const SHOWN: readonly [file: string, pattern: RegExp][] = [
  ['charts/groundcrew/Chart.yaml', /^version: (\S+)$/gm],
  ['charts/groundcrew/Chart.yaml', /^appVersion: (\S+)$/gm],
  ['Dockerfile', /^ARG VERSION=(\S+)$/gm],
  ['docs/install.md', /groundcrew:(\d\S+)/g],
  ...['.', ...readdirSync(join(repository, 'packages')).map((name) => `packages/${name}`)].map(
    (folder): [string, RegExp] => [join(folder, 'package.json'), /"(?:version|@groundcrew\/[^"]+)": "([^"]+)"/g],
  ),
];

it.each(SHOWN)('%s has the version of package.json: %s', (file, pattern) => {
  const found = [...read(file).matchAll(pattern)].map(([, shown]) => shown);
  expect(new Set(found)).toEqual(new Set([version]));
});

it('the changelog begins with the version of package.json', () => {
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
});
