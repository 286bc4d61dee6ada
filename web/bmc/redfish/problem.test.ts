import { expect, it } from 'vitest';
import { problemOf } from './problem.ts';

it('has the message and the resolution of the BMC', () => {
  const error = {
    message: 'The value is invalid.',
    '@Message.ExtendedInfo': [{ Message: 'The value is invalid.', Resolution: 'Unknown host' }],
  };
  expect(problemOf(400, { error })).toMatchObject({
    message: 'The value is invalid.',
    resolution: 'Unknown host',
    status: 400,
  });
});

it('has the words of groundcrew web', () => {
  expect(problemOf(502, { error: 'The BMC does not answer.' })).toMatchObject({
    message: 'The BMC does not answer.',
    isOnTheWay: true,
  });
});

it('says when to try again', () => {
  const error = { message: 'Busy.', '@Message.ExtendedInfo': [{ Message: 'Busy.', Resolution: 'None.' }] };
  expect(problemOf(503, { error }, '2').resolution).toBe('Try again in 2 s.');
  expect(problemOf(503, { error }).resolution).toBeUndefined();
});

it.each([undefined, null, '', {}, { error: {} }, '<html>'])('has words for an answer without any: %j', (body) => {
  expect(problemOf(502, body).message).toBe('The BMC answered with HTTP status 502.');
});
