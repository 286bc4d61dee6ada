import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getChannelAuthenticationCapabilities as command } from './get-channel-authentication-capabilities.ts';

describe('Get Channel Authentication Capabilities', () => {
  it.each(['8e04', '8104'])('reports IPMI 2.0 and named users for channel %s', async (data) => {
    expect(await commandBench().answer(command, data, null)).toBe('00 01 80 04 02 00 00 00 00');
  });

  it('reports a configured K_G', async () => {
    const bench = commandBench({ hasBmcKey: () => true });
    expect(await bench.answer(command, '8e04', null)).toBe('00 01 80 24 02 00 00 00 00');
  });

  it('offers no authentication type for IPMI 1.5', async () => {
    expect(await commandBench().answer(command, '0e04', null)).toBe('00 01 00 04 00 00 00 00 00');
  });

  it.each(['8004', '8204', '8f04', '8e06', '8e0f'])('answers 0xCC to %s', async (data) => {
    expect(await commandBench().answer(command, data, null)).toBe('cc');
  });
});
