import { describe, expect, it } from 'vitest';
import type { Bmc } from '../command.ts';
import { commandBench } from '../../testing/run-command.ts';
import { getLanConfigurationParameters, setLanConfigurationParameters } from './lan-configuration-parameters.ts';

async function read(parameter: string, overrides: Partial<Bmc> = {}): Promise<string> {
  return await commandBench(overrides as object).answer(getLanConfigurationParameters, `01${parameter}0000`);
}

describe('Get LAN Configuration Parameters', () => {
  it.each([
    ['set in progress: no', '00', '00'],
    ['authentication types of IPMI 1.5: none', '01', '00'],
    ['the same by level', '02', '00 00 00 00 00'],
    ['IP address: unknown', '03', '00 00 00 00'],
    ['its source: unspecified', '04', '00'],
    ['MAC address: unknown', '05', '00 00 00 00 00 00'],
    ['subnet mask: unknown', '06', '00 00 00 00'],
    ['primary RMCP port', '08', '6f 02'],
    ['default gateway: unknown', '0c', '00 00 00 00'],
    ['destinations: none', '11', '00'],
    ['VLAN: off', '14', '00 00'],
    ['count of cipher suites', '16', '02'],
    ['cipher suites 3 and 17', '17', `00 03 11${' 00'.repeat(14)}`],
    ['their privilege: administrator', '18', `00 44${' 00'.repeat(7)}`],
    ['5 bad passwords in 60 s, lock-out for 60 s', '1a', '01 05 06 00 06 00'],
  ])('reports %s', async (_name, parameter, data) => {
    expect(await read(parameter)).toBe(`00 11 ${data}`);
  });

  it('reports the IP address of the BMC, with the source "other"', async () => {
    expect(await read('03', { lanAddress: () => '10.96.0.17' })).toBe('00 11 0a 60 00 11');
    expect(await read('04', { lanAddress: () => '10.96.0.17' })).toBe('00 11 04');
  });

  it('does not report an IPv6 address', async () => {
    expect(await read('03', { lanAddress: () => '2001:db8::1' })).toBe('00 11 00 00 00 00');
  });

  it("reports the owner's settings", async () => {
    const overrides = { cipherSuites: [17], lockout: { threshold: 300, seconds: 125 } } as const;
    expect(await read('17', overrides)).toBe(`00 11 00 11${' 00'.repeat(15)}`);
    expect(await read('18', overrides)).toBe(`00 11 00 04${' 00'.repeat(7)}`);
    expect(await read('1a', overrides)).toBe('00 11 01 ff 0d 00 0d 00');
  });

  it('returns only the revision on request', async () => {
    expect(await commandBench().answer(getLanConfigurationParameters, '81030000')).toBe('00 11');
  });

  it.each(['07', '09', '10', '12', '1b', 'c0', 'ff'])('rejects parameter %s', async (parameter) => {
    expect(await read(parameter)).toBe('80');
  });

  it('rejects another channel', async () => {
    expect(await commandBench().answer(getLanConfigurationParameters, '02030000')).toBe('cc');
  });
});

describe('Set LAN Configuration Parameters', () => {
  it.each([
    ['accepts the start of a change', '010001', '00'],
    ['accepts its end', '010000', '00'],
    ['accepts its commit', '010002', '00'],
    ['rejects another state', '010003', 'cc'],
    ['requires the state', '0100', 'c7'],
    ['does not change the address', '010301020304', '82'],
    ['does not change the bad password threshold', '011a0103060006', '82'],
    ['accepts the current bad password threshold', '011a010506000600', '00'],
    ['accepts the current source of the address', '010400', '00'],
    ['does not change that source', '010402', '82'],
    ['requires the data of a parameter', '0103', '82'],
    ['does not support the community string', '0110', '80'],
    ['rejects another channel', '020001', 'cc'],
  ])('%s', async (_name, data, answer) => {
    expect(await commandBench().answer(setLanConfigurationParameters, data)).toBe(answer);
  });

  it('answers 0x81 to a second session while the first sets parameters', async () => {
    const bench = commandBench();
    const first = bench.session();
    expect(await bench.answer(setLanConfigurationParameters, '010001', first)).toBe('00');
    expect(await bench.answer(getLanConfigurationParameters, '01000000')).toBe('00 11 01');
    expect(await bench.answer(setLanConfigurationParameters, '010001')).toBe('81');
    expect(await bench.answer(setLanConfigurationParameters, '010000', first)).toBe('00');
    expect(await bench.answer(setLanConfigurationParameters, '010001')).toBe('00');
  });
});
