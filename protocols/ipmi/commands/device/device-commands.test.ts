import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError, type PowerState } from '../../../machine/index.ts';
import { type CommandBench, commandBench } from '../../testing/run-command.ts';
import { getAcpiPowerState, setAcpiPowerState } from './acpi-power-state.ts';
import { getBmcGlobalEnables, getSelfTestResults, setBmcGlobalEnables } from './fixed-answers.ts';
import { encodeDeviceId, getDeviceId } from './get-device-id.ts';
import { getDeviceGuid, getSystemGuid, systemGuid } from './guids.ts';

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
});

describe('Get Device ID', () => {
  it('encodes the firmware revision in BCD, IPMI 2.0 and the device data', async () => {
    expect(await bench.answer(getDeviceId)).toBe('00 20 01 01 23 02 8f 00 00 00 00 00 00 00 00 00');
  });

  it('supports all vendor-defined fields', () => {
    const info = {
      deviceId: 1,
      deviceRevision: 2,
      firmware: { major: 127, minor: 99 },
      manufacturerId: 0x0f1234,
      productId: 0xabcd,
      auxiliaryFirmwareRevision: Buffer.from('01020304', 'hex'),
    };
    expect(encodeDeviceId(info).toString('hex')).toBe('01027f99028f3412' + '0fcdab01020304');
  });
});

it('Get System GUID returns the UUID of the machine, with or without a session', async () => {
  const guid = '00 23 f2 69 2d e7 06 61 88 8c 42 ef b3 a9 7c 30 5d';
  expect(await bench.answer(getSystemGuid)).toBe(guid);
  expect(await bench.answer(getSystemGuid, '', null)).toBe(guid);
});

describe('systemGuid', () => {
  it('encodes the least significant byte first', () => {
    expect(systemGuid('5d307ca9-b3ef-428c-8861-06e72d69f223').toString('hex')).toBe('23f2692de70661888c42efb3a97c305d');
  });

  it.each([undefined, '', '5d307ca9', 'zd307ca9-b3ef-428c-8861-06e72d69f223'])('is all zero for %j', (uuid) => {
    expect(systemGuid(uuid)).toEqual(Buffer.alloc(16));
  });
});

it('Get Self Test Results reports no error', async () => {
  expect(await bench.answer(getSelfTestResults)).toBe('00 55 00');
});

it('Get Device GUID returns the UUID of the BMC, only in a session', async () => {
  const guid = '00 0f 0e 0d 0c 0b 0a 09 08 07 06 05 04 03 02 01 00';
  expect(await bench.answer(getDeviceGuid, '', bench.session(2))).toBe(guid);
  expect(await bench.answer(getDeviceGuid, '', null)).toBe('d4');
});

describe('BMC global enables', () => {
  it('enable only the event log, which cannot be disabled', async () => {
    expect(await bench.answer(getBmcGlobalEnables, '', bench.session(2))).toBe('00 08');
    expect(await bench.answer(setBmcGlobalEnables, '08')).toBe('00');
    for (const other of ['00', '09', '0a', '0c', '28', '88']) {
      expect(await bench.answer(setBmcGlobalEnables, other)).toBe('cc');
    }
  });
});

describe('the ACPI power state', () => {
  it.each<[PowerState, string]>([
    ['On', '00 00 00'],
    ['Paused', '00 01 00'],
    ['PoweringOff', '00 00 00'],
    ['Off', '00 05 03'],
    ['PoweringOn', '00 05 03'],
  ])('of a machine in state %s is S0 or S1 and D0, or S5 and D3', async (state, answer) => {
    bench.bmc.machine.state = state;
    expect(await bench.answer(getAcpiPowerState, '', bench.session(2))).toBe(answer);
  });

  it('waits for a refreshed power state of the machine', async () => {
    const { machine } = bench.bmc;
    machine.refresh = () => {
      machine.state = 'Off';
      return Promise.resolve();
    };
    expect(await bench.answer(getAcpiPowerState)).toBe('00 05 03');
    expect(await bench.answer(setAcpiPowerState, '85 83')).toBe('00');
  });

  it("is unknown if the machine's state is unknown", async () => {
    bench.bmc.machine.stateError = new MachineError('Unavailable', 'no API');
    expect(await bench.answer(getAcpiPowerState)).toBe('00 2a 2a');
  });

  it.each([
    ['the current states', '80 80', '00'],
    ['no change', 'ff ff', '00'],
    ['a validation of another state', '05 03', '00'],
    ['another system state', '85 ff', 'd5'],
    ['another device state', 'ff 83', 'd5'],
    ['a reserved system state', '8b ff', 'cc'],
    ['a reserved device state', 'ff 84', 'cc'],
    ['only one state', '80', 'c7'],
  ])('answers a request for %s (%s) with %s', async (_name, data, answer) => {
    expect(await bench.answer(setAcpiPowerState, data)).toBe(answer);
  });
});
