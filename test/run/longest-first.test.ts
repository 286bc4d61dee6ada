import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../harness/repository.ts';
import { LONGEST } from './longest-first.ts';

it('names files that exist', () => {
  expect(LONGEST.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
});
