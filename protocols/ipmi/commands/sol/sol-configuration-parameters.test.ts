import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import {
  getSolConfigurationParameters as get,
  setSolConfigurationParameters as set,
} from './sol-configuration-parameters.ts';

describe('SOL configuration parameters', () => {
  it.each([
    ['set in progress', '00', '00 11 00'],
    ['enable', '01', '00 11 01'],
    ['authentication', '02', '00 11 c3'],
    ['accumulate interval and threshold', '03', '00 11 02 60'],
    ['retry', '04', '00 11 07 32'],
    ['non-volatile bit rate', '05', '00 11 00'],
    ['volatile bit rate', '06', '00 11 00'],
    ['channel', '07', '00 11 01'],
    ['port', '08', '00 11 6f 02'],
    ['one that is not there', '09', '80'],
  ])('report %s', async (_name, parameter, answer) => {
    expect(await commandBench().answer(get, `0e ${parameter} 00 00`)).toBe(answer);
  });

  it('return only the revision on request', async () => {
    expect(await commandBench().answer(get, '8e 01 00 00')).toBe('00 11');
  });

  it.each(['0e 01 01 00', '0e 01 00 01', '02 01 00 00'])('reject sets, blocks and other channels: %s', async (data) => {
    expect(await commandBench().answer(get, data)).toBe('cc');
  });

  it.each([
    ['enable', '01', '00', '00'],
    ['authentication', '02', 'c4', 'c4'],
    ['accumulate interval and threshold', '03', '05 20', '05 20'],
    ['retry', '04', 'fb 0a', '03 0a'],
    ['non-volatile bit rate', '05', '0a', '0a'],
    ['volatile bit rate', '06', '06', '06'],
  ])('store %s', async (_name, parameter, data, kept) => {
    const bench = commandBench();
    expect(await bench.answer(set, `0e ${parameter} ${data}`)).toBe('00');
    expect(await bench.answer(get, `0e ${parameter} 00 00`)).toBe(`00 11 ${kept}`);
  });

  it.each([
    ['no encryption', '02 44', 'cc'],
    ['level OEM', '02 c5', 'cc'],
    ['no interval', '03 00 20', 'cc'],
    ['no threshold', '03 01 00', 'cc'],
    ['no retry interval', '04 01 00', 'cc'],
    ['a bit rate that is not there', '05 0b', 'cc'],
    ['a bit rate that is not there', '06 01', 'cc'],
    ['a channel', '07 02', '82'],
    ['a port', '08 6f 02', '82'],
    ['one that is not there', '09 00', '80'],
    ['too much', '01 00 00', 'c7'],
    ['too little', '03 01', 'c7'],
    ['a state that is not there', '00 03', 'cc'],
  ])('reject %s', async (_name, data, answer) => {
    expect(await commandBench().answer(set, `0e ${data}`)).toBe(answer);
  });

  it('are all stored if several sessions write them concurrently', async () => {
    const bench = commandBench();
    const { settings } = bench.bmc;
    const change = settings.change.bind(settings);
    settings.change = async (wanted) => {
      await setImmediate();
      await change(wanted);
    };
    await Promise.all([bench.answer(set, '0e 01 00'), bench.answer(set, '0e 02 c4')]);
    expect(bench.bmc.solConfiguration.parameters).toMatchObject({ enabled: false, privilege: 4 });
  });

  it('can be changed by one session at a time', async () => {
    const bench = commandBench();
    const [mine, other] = [bench.session(), bench.session()];
    expect(await bench.answer(set, '0e 00 01', mine)).toBe('00');
    expect(await bench.answer(get, '0e 00 00 00')).toBe('00 11 01');
    expect(await bench.answer(set, '0e 00 01', other)).toBe('81');
  });
});
