import { beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../command-list.ts';
import { commandBench, type CommandBench } from '../../testing/run-command.ts';
import { assetTagOf, getAssetTag, getControllerId, setAssetTag, setControllerId } from './texts.ts';
import { getDcmiCapabilitiesInfo, getDcmiSensorInfo } from './dcmi-capabilities.ts';
import { getPowerReading, getTemperatureReadings } from './measurements.ts';

/** Network function of groups. */
const DCMI_COMMANDS = COMMANDS.filter(({ netFn }) => netFn === 0x2c);

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
});

describe('a DCMI command', () => {
  it.each(DCMI_COMMANDS)('is unknown in other groups: $name', async (command) => {
    expect([await bench.answer(command, '00'), await bench.answer(command, '03 01 02 03')]).toEqual(['c1', 'c1']);
  });

  it.each(DCMI_COMMANDS)('checks the length after the group byte: $name', async (command) => {
    expect([await bench.answer(command, 'dc'), await bench.answer(command, `dc ${'00'.repeat(40)}`)]).toEqual([
      'c7',
      'c7',
    ]);
  });
});

describe('Get DCMI Capabilities Info', () => {
  it.each([
    ['no power management', '01', '00 00 00'],
    ['a log of 512 entries in which the oldest make room, GUID and asset tag', '02', '00 92 05 00 00'],
    ['no device for power management', '03', '00 00'],
    ['the LAN channel alone', '04', '01 ff ff'],
    ['no statistics of power', '05', '00'],
  ])('reports %s', async (_what, parameter, bytes) => {
    expect(await bench.answer(getDcmiCapabilitiesInfo, `dc ${parameter}`, bench.session(2))).toBe(
      `00 dc 01 05 02 ${bytes}`,
    );
  });

  it.each(['00', '06'])('rejects parameter %s', async (parameter) => {
    expect(await bench.answer(getDcmiCapabilitiesInfo, `dc ${parameter}`)).toBe('cc');
  });
});

it('Get DCMI Sensor Info reports no temperature sensor', async () => {
  expect(await bench.answer(getDcmiSensorInfo, 'dc 01 40 00 00')).toBe('00 dc 00 00');
  expect(await bench.answer(getDcmiSensorInfo, 'dc 02 40 00 00')).toBe('cc');
});

it('Get Power Reading reports that power is not measured', async () => {
  expect(await bench.answer(getPowerReading, 'dc 01 00 00')).toBe(`00 dc${' 00'.repeat(17)}`);
  expect(await bench.answer(getPowerReading, 'dc 02 00 00')).toBe('cc');
});

it('Get Temperature Readings reports no sensor for each entity', async () => {
  for (const entity of ['40', '41', '42']) {
    expect(await bench.answer(getTemperatureReadings, `dc 01 ${entity} 00 01`)).toBe('00 dc 00 00');
  }
  expect(await bench.answer(getTemperatureReadings, 'dc 01 07 00 01')).toBe('cc');
  expect(await bench.answer(getTemperatureReadings, 'dc 02 40 00 01')).toBe('cc');
});

describe('the asset tag', () => {
  it('is the machine’s own until a client sets another', async () => {
    expect(await bench.answer(getAssetTag, 'dc 00 10')).toBe('00 dc 00');
    bench.bmc.machine.parts = { ...bench.bmc.machine.parts, assetTag: 'rack' };
    expect(await bench.answer(getAssetTag, 'dc 00 10')).toBe('00 dc 04 72 61 63 6b');
    expect(await bench.answer(getAssetTag, 'dc 02 10')).toBe('00 dc 04 63 6b');
    expect(await bench.answer(getAssetTag, 'dc 04 10')).toBe('00 dc 04');
    expect(await bench.answer(setAssetTag, 'dc 00 02 68 69')).toBe('00 dc 02');
    expect(await bench.answer(setAssetTag, 'dc 02 01 21')).toBe('00 dc 03');
    expect(await bench.answer(getAssetTag, 'dc 00 10')).toBe('00 dc 03 68 69 21');
    expect(bench.bmc.settings.current().dcmi).toEqual({ assetTag: 'hi!' });
  });

  it('can be written with a character split across two writes', async () => {
    const tag = Buffer.from('123456789012345ü');
    const part = (from: number, to: number): string =>
      tag.subarray(from, to).toString('hex').replaceAll(/(..)/g, ' $1');
    expect(await bench.answer(setAssetTag, `dc 00 10${part(0, 16)}`)).toBe('00 dc 10');
    expect(await bench.answer(setAssetTag, `dc 10 01${part(16, 17)}`)).toBe('00 dc 11');
    expect(await bench.answer(getAssetTag, 'dc 0f 10')).toBe('00 dc 11 c3 bc');
    expect(assetTagOf(bench.bmc)).toBe(tag.toString());
  });

  it('is read and written only within its bounds', async () => {
    expect(await bench.answer(getAssetTag, 'dc 00 11')).toBe('c9');
    expect(await bench.answer(getAssetTag, 'dc 01 10')).toBe('c9');
    expect(await bench.answer(getAssetTag, 'dc 3f 10')).toBe('c9');
    expect(await bench.answer(setAssetTag, 'dc 01 01 41')).toBe('c9');
    expect(await bench.answer(setAssetTag, 'dc 00 02 41')).toBe('c7');
    for (const offset of ['00', '10', '20']) {
      expect(await bench.answer(setAssetTag, `dc ${offset} 10 ${'41'.repeat(16)}`)).toMatch(/^00/);
    }
    expect(await bench.answer(setAssetTag, `dc 30 10 ${'41'.repeat(16)}`)).toBe('c9');
    expect(await bench.answer(setAssetTag, `dc 30 0f ${'41'.repeat(15)}`)).toBe('00 dc 3f');
  });
});

describe('the controller identifier', () => {
  it('is the machine’s name until an administrator sets another', async () => {
    const name = Buffer.from('default/testvm\0');
    const hex = name.toString('hex').replaceAll(/(..)/g, ' $1');
    expect(await bench.answer(getControllerId, 'dc 00 10')).toBe(`00 dc 0f${hex}`);
    expect(await bench.answer(setControllerId, 'dc 00 03 62 6d 00')).toBe('00 dc 03');
    expect(await bench.answer(getControllerId, 'dc 00 10')).toBe('00 dc 03 62 6d 00');
  });
});
