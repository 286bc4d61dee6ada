import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getChannelAccess, setChannelAccess } from './channel-access.ts';
import { getSystemInterfaceCapabilities } from './channel-info.ts';
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
    ['what it is, volatile', '01a284', '00'],
    ['what it is, non-volatile', '016244', '00'],
    ['nothing', '010000', '00'],
    ['the channel off', '01a084', '83'],
    ['the channel at boot alone', '016144', '83'],
    ['alerts on', '018284', '82'],
    ['authentication per message off', '01b284', '82'],
    ['authentication at level User off', '01aa84', '82'],
    ['a lower limit', '01a283', '82'],
    ['no kind', '01e284', 'cc'],
    ['another channel', '02a284', 'cc'],
  ])('answers a request for %s', async (_name, data, answer) => {
    expect(await commandBench().answer(setChannelAccess, data)).toBe(answer);
  });
});

describe('Set Channel Security Keys', () => {
  it.each([
    ['shows nobody K_G', '010001', '80'],
    ['sets no K_G', `010101${'11'.repeat(20)}`, '80'],
    ['says that K_G is locked', '010201', '00 01'],
    ['knows no K_R', '010000', '84'],
    ['knows no other key', '010002', 'cc'],
    ['knows no other operation', '010301', 'cc'],
  ])('%s', async (_name, data, answer) => {
    expect(await commandBench().answer(setChannelSecurityKeys, data)).toBe(answer);
  });
});

describe('Get System Interface Capabilities', () => {
  it.each(['00', '01', '02'])('reports no interface of type %s', async (data) => {
    expect(await commandBench().answer(getSystemInterfaceCapabilities, data)).toBe('cc');
  });
});
