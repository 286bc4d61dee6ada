import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getChannelAccess, setChannelAccess } from './channel-access.ts';
import { getChannelInfo, getSystemInterfaceCapabilities } from './channel-info.ts';
import { getChannelCipherSuites } from './get-channel-cipher-suites.ts';
import { getIpStatistics } from './get-ip-statistics.ts';
import { setChannelSecurityKeys } from './set-channel-security-keys.ts';

describe('Get Channel Access', () => {
  it.each([
    ['0e40', '00 22 04'],
    ['0180', '00 22 04'],
    ['0100', 'cc'],
    ['01c0', 'cc'],
    ['0240', 'cc'],
  ])('answers %s with %s', async (data, answer) => {
    expect(await commandBench().answer(getChannelAccess, data)).toBe(answer);
  });
});

describe('Set Channel Access', () => {
  it.each([
    ['the current volatile setting', '01a284', '00'],
    ['the current non-volatile setting', '016244', '00'],
    ['no change', '010000', '00'],
    ['a disabled channel', '01a084', '83'],
    ['a channel for boot time only', '016144', '83'],
    ['alerts', '018284', '82'],
    ['no authentication per message', '01b284', '82'],
    ['no authentication at level User', '01aa84', '82'],
    ['a lower limit', '01a283', '82'],
    ['a reserved kind of setting', '01e284', 'cc'],
    ['another channel', '02a284', 'cc'],
  ])('answers a request for %s', async (_name, data, answer) => {
    expect(await commandBench().answer(setChannelAccess, data)).toBe(answer);
  });
});

describe('Set Channel Security Keys', () => {
  it.each([
    ['cannot read K_G', '010001', '80'],
    ['cannot set K_G', `010101${'11'.repeat(20)}`, '80'],
    ['reports K_G as locked', '010201', '00 01'],
    ['rejects K_R', '010000', '84'],
    ['rejects another key', '010002', 'cc'],
    ['rejects another operation', '010301', 'cc'],
  ])('%s', async (_name, data, answer) => {
    expect(await commandBench().answer(setChannelSecurityKeys, data)).toBe(answer);
  });
});

it('Get IP/UDP/RMCP Statistics stops counting at FFFFh', async () => {
  const bench = commandBench();
  bench.bmc.statistics.received = 0x1_0000;
  expect(await bench.answer(getIpStatistics, '0e 00')).toBe(`00 ff ff${' 00'.repeat(8)} ff ff${' 00'.repeat(6)}`);
});

describe('Get System Interface Capabilities', () => {
  it.each(['00', '01', '02'])('reports no interface of type %s', async (data) => {
    expect(await commandBench().answer(getSystemInterfaceCapabilities, data)).toBe('cc');
  });
});

describe('Get Channel Info', () => {
  it.each(['01', '0e'])('describes the LAN channel as %s, with its session count', async (channel) => {
    expect(await commandBench().answer(getChannelInfo, channel)).toBe('00 01 04 01 81 f2 1b 00 00 00');
  });

  it.each(['00', '02', '0f'])('answers 0xCC to channel %s', async (channel) => {
    expect(await commandBench().answer(getChannelInfo, channel)).toBe('cc');
  });
});

describe('Get Channel Cipher Suites', () => {
  it('lists the records of the enabled suites in order', async () => {
    expect(await commandBench().answer(getChannelCipherSuites, '0e0080', null)).toBe(
      '00 01 c0 03 01 41 81 c0 11 03 44 81',
    );
    expect(await commandBench({ cipherSuites: [17] }).answer(getChannelCipherSuites, '010080', null)).toBe(
      '00 01 c0 11 03 44 81',
    );
  });

  it('returns no data at the next index', async () => {
    expect(await commandBench().answer(getChannelCipherSuites, '0e0081', null)).toBe('00 01');
    expect(await commandBench().answer(getChannelCipherSuites, '0e00bf', null)).toBe('00 01');
  });

  it('lists the algorithms on request', async () => {
    expect(await commandBench().answer(getChannelCipherSuites, '0e0000', null)).toBe('00 01 01 03 41 44 81');
  });

  it.each(['020080', '0e4080'])('answers 0xCC to %s', async (data) => {
    expect(await commandBench().answer(getChannelCipherSuites, data, null)).toBe('cc');
  });
});
