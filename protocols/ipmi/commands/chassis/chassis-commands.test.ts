import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError, type PowerAction, type PowerState, type RestorePolicy } from '../../../machine/index.ts';
import { type CommandBench, commandBench } from '../../testing/run-command.ts';
import { chassisControl } from './chassis-control.ts';
import { chassisIdentify } from './chassis-identify.ts';
import { getChassisCapabilities, setFrontPanelEnables, setPowerCycleInterval } from './chassis-settings.ts';
import { getChassisStatus } from './get-chassis-status.ts';
import { setPowerRestorePolicy } from './power-restore-policy.ts';

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
});

describe('Chassis Control', () => {
  it.each<[string, PowerAction]>([
    ['00', 'ForceOff'],
    ['01', 'On'],
    ['02', 'PowerCycle'],
    ['03', 'ForceRestart'],
    ['04', 'DiagnosticInterrupt'],
    ['05', 'GracefulShutdown'],
    ['f5', 'GracefulShutdown'],
  ])('maps %s to %s, with the requester', async (data, action) => {
    expect(await bench.answer(chassisControl, data)).toBe('00');
    const requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' };
    expect(bench.bmc.machine.calls).toEqual([{ kind: 'power', action, requester }]);
  });

  it('answers 0xD5 to a power cycle while the machine is off', async () => {
    bench.bmc.machine.state = 'Off';
    expect(await bench.answer(chassisControl, '02')).toBe('d5');
  });

  it.each(['06', '0f'])('answers 0xCC to %s and does nothing', async (data) => {
    expect(await bench.answer(chassisControl, data)).toBe('cc');
    expect(bench.bmc.machine.calls).toEqual([]);
  });
});

const requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;

describe('Get Chassis Status', () => {
  it.each<[PowerState, string]>([
    ['On', '00 61 00 40 00'],
    ['Paused', '00 61 00 40 00'],
    ['PoweringOff', '00 61 00 40 00'],
    ['Off', '00 60 00 40 00'],
    ['PoweringOn', '00 60 00 40 00'],
  ])('reports %s in 4 bytes to every user', async (state, answer) => {
    bench.bmc.machine.state = state;
    expect(await bench.answer(getChassisStatus, '', bench.session(2))).toBe(answer);
  });

  it('reports a power-on by command', async () => {
    const { machine } = bench.bmc;
    machine.log.append({ kind: 'PowerAction', action: 'On', outcome: 'Accepted', requester });
    expect(await bench.answer(getChassisStatus)).toBe('00 61 10 40 00');
  });

  it('waits for a refreshed power state', async () => {
    const { machine } = bench.bmc;
    machine.stateError = new MachineError('Unavailable', 'too old');
    machine.refresh = () => {
      machine.stateError = undefined;
      return Promise.resolve();
    };
    expect(await bench.answer(getChassisStatus)).toBe('00 61 00 40 00');
  });

  it('reports that the machine is unreachable', async () => {
    bench.bmc.machine.stateError = new MachineError('Unavailable', 'not synced');
    expect(await bench.answer(getChassisStatus)).toBe('d3');
  });
});

/** The third byte of Get Chassis Status `seconds` after the requests. */
async function stateAfter(seconds: number, ...requests: string[]): Promise<string | undefined> {
  bench = commandBench();
  for (const data of requests) expect(await bench.answer(chassisIdentify, data)).toBe('00');
  bench.now += seconds * 1_000;
  return (await bench.answer(getChassisStatus)).split(' ')[3];
}

const [OFF, TEMPORARY, INDEFINITE] = ['40', '50', '60'];

describe('Chassis Identify', () => {
  it('is on for 15 s by default', async () => {
    expect(await stateAfter(0, '')).toBe(TEMPORARY);
    expect(await stateAfter(14, '')).toBe(TEMPORARY);
    expect(await stateAfter(15, '')).toBe(OFF);
  });

  it('is on for the given time, and off at 0', async () => {
    expect(await stateAfter(254, 'ff')).toBe(TEMPORARY);
    expect(await stateAfter(255, 'ff 00')).toBe(OFF);
    expect(await stateAfter(0, 'ff', '00')).toBe(OFF);
  });

  it('stays on with the force bit until it is turned off', async () => {
    expect(await stateAfter(1e9, '00 01')).toBe(INDEFINITE);
    expect(await stateAfter(0, '00 01', '00')).toBe(OFF);
  });
});

describe('Set Front Panel Enables', () => {
  it('accepts no disabled button, and answers 0xCC to others', async () => {
    expect(await bench.answer(setFrontPanelEnables, '00')).toBe('00');
    for (const button of ['01', '02', '04', '08']) expect(await bench.answer(setFrontPanelEnables, button)).toBe('cc');
  });
});

describe('Set Power Cycle Interval', () => {
  it('accepts only 0', async () => {
    expect(await bench.answer(setPowerCycleInterval, '00')).toBe('00');
    expect(await bench.answer(setPowerCycleInterval, '0a')).toBe('c9');
  });
});

it('Get Chassis Capabilities reports no front panel, and the BMC as every device', async () => {
  expect(await bench.answer(getChassisCapabilities)).toBe('00 00 20 20 20 20 20');
});

describe('Set Power Restore Policy', () => {
  it.each<[RestorePolicy | undefined, string, string]>([
    ['AlwaysOff', '07', '01'],
    ['Previous', '07', '21'],
    ['AlwaysOn', '07', '41'],
    [undefined, '00', '61'],
  ])('lists what it supports with policy %s, which the chassis status also reports', async (policy, listed, status) => {
    bench.bmc.machine.policy = policy;
    expect(await bench.answer(setPowerRestorePolicy, '03')).toBe(`00 ${listed}`);
    expect((await bench.answer(getChassisStatus)).split(' ')[1]).toBe(status);
  });

  it('sets another policy, with the requester, and rejects unknown ones', async () => {
    const { machine } = bench.bmc;
    machine.policy = 'AlwaysOn';
    expect(await bench.answer(setPowerRestorePolicy, '02')).toBe('00 07');
    expect(machine.calls).toEqual([]);
    expect(await bench.answer(setPowerRestorePolicy, '01')).toBe('00 07');
    expect(machine.calls).toEqual([{ kind: 'restorePolicy', policy: 'Previous', requester }]);
    expect(await bench.answer(setPowerRestorePolicy, '04')).toBe('cc');
    machine.nextError = new MachineError('InvalidState', 'it is off');
    expect(await bench.answer(setPowerRestorePolicy, '02')).toBe('d5');
    machine.policy = undefined;
    expect(await bench.answer(setPowerRestorePolicy, '00')).toBe('cc');
  });
});
