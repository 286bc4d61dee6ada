import { describe, expect, it } from 'vitest';
import { MachineError, type PowerState } from '../../../machine/index.ts';
import { commandBench } from '../../testing/run-command.ts';
import { getChassisStatus } from './get-chassis-status.ts';

describe('Get Chassis Status', () => {
  it.each<[PowerState, string]>([
    ['On', '00 61 00 00 00'],
    ['Paused', '00 61 00 00 00'],
    ['PoweringOff', '00 61 00 00 00'],
    ['Off', '00 60 00 00 00'],
    ['PoweringOn', '00 60 00 00 00'],
  ])('tells %s with 4 bytes, to every user', async (state, answer) => {
    const bench = commandBench();
    bench.bmc.machine.state = state;
    expect(await bench.answer(getChassisStatus, '', bench.session(2))).toBe(answer);
  });

  it('says that the machine cannot be reached', async () => {
    const bench = commandBench();
    bench.bmc.machine.stateError = new MachineError('Unavailable', 'not synced');
    expect(await bench.answer(getChassisStatus)).toBe('d3');
  });
});
