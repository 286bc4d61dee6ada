import { expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getSelfTestResults } from './fixed-answers.ts';

it('Get Self Test Results reports no error', async () => {
  expect(await commandBench().answer(getSelfTestResults)).toBe('00 55 00');
});
