import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getChannelInfo } from './channel-info.ts';

describe('Get Channel Info', () => {
  it.each(['01', '0e'])('describes the LAN channel as %s, with its session count', async (channel) => {
    expect(await commandBench().answer(getChannelInfo, channel)).toBe('00 01 04 01 81 f2 1b 00 00 00');
  });

  it.each(['00', '02', '0f'])('answers 0xCC to channel %s', async (channel) => {
    expect(await commandBench().answer(getChannelInfo, channel)).toBe('cc');
  });
});
