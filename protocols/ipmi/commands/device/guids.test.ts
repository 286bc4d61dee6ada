import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getSystemGuid, systemGuid } from './guids.ts';

it('Get System GUID returns the UUID of the machine, with or without a session', async () => {
  const guid = '00 23 f2 69 2d e7 06 61 88 8c 42 ef b3 a9 7c 30 5d';
  expect(await commandBench().answer(getSystemGuid)).toBe(guid);
  expect(await commandBench().answer(getSystemGuid, '', null)).toBe(guid);
});

describe('systemGuid', () => {
  it('encodes the least significant byte first', () => {
    expect(systemGuid('5d307ca9-b3ef-428c-8861-06e72d69f223').toString('hex')).toBe('23f2692de70661888c42efb3a97c305d');
  });

  it.each([undefined, '', '5d307ca9', 'zd307ca9-b3ef-428c-8861-06e72d69f223'])('is all zero for %j', (uuid) => {
    expect(systemGuid(uuid)).toEqual(Buffer.alloc(16));
  });
});
