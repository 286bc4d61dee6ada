import { expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getSystemGuid } from './guids.ts';

it('Get System GUID returns the UUID of the machine, with or without a session', async () => {
  const guid = '00 23 f2 69 2d e7 06 61 88 8c 42 ef b3 a9 7c 30 5d';
  expect(await commandBench().answer(getSystemGuid)).toBe(guid);
  expect(await commandBench().answer(getSystemGuid, '', null)).toBe(guid);
});
