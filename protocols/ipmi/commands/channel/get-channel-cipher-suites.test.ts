import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getChannelCipherSuites as command } from './get-channel-cipher-suites.ts';

describe('Get Channel Cipher Suites', () => {
  it('lists the records of the enabled suites in order', async () => {
    expect(await commandBench().answer(command, '0e0080', null)).toBe('00 01 c0 03 01 41 81 c0 11 03 44 81');
    expect(await commandBench({ cipherSuites: [17] }).answer(command, '010080', null)).toBe('00 01 c0 11 03 44 81');
  });

  it('returns no data at the next index', async () => {
    expect(await commandBench().answer(command, '0e0081', null)).toBe('00 01');
    expect(await commandBench().answer(command, '0e00bf', null)).toBe('00 01');
  });

  it('lists the algorithms on request', async () => {
    expect(await commandBench().answer(command, '0e0000', null)).toBe('00 01 01 03 41 44 81');
  });

  it.each(['020080', '0e4080'])('answers 0xCC to %s', async (data) => {
    expect(await commandBench().answer(command, data, null)).toBe('cc');
  });
});
