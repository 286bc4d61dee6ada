import { describe, expect, it } from 'vitest';
import { MachineError, type PowerState } from '../../../machine/index.ts';
import { commandBench } from '../../testing/run-command.ts';
import { getChassisStatus } from './get-chassis-status.ts';

const requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;

describe('Get Chassis Status', () => {
  it.each<[PowerState, string]>([
    ['On', '00 61 00 40 00'],
    ['Paused', '00 61 00 40 00'],
    ['PoweringOff', '00 61 00 40 00'],
    ['Off', '00 60 00 40 00'],
    ['PoweringOn', '00 60 00 40 00'],
  ])('reports %s in 4 bytes to every user', async (state, answer) => {
    const bench = commandBench();
    bench.bmc.machine.state = state;
    expect(await bench.answer(getChassisStatus, '', bench.session(2))).toBe(answer);
  });

  it('reports a power-on by command', async () => {
    const bench = commandBench();
    const { machine } = bench.bmc;
    machine.log.append({ kind: 'PowerAction', action: 'On', outcome: 'Accepted', requester });
    expect(await bench.answer(getChassisStatus)).toBe('00 61 10 40 00');
  });

  it('waits for a refreshed power state', async () => {
    const bench = commandBench();
    const { machine } = bench.bmc;
    machine.stateError = new MachineError('Unavailable', 'too old');
    machine.refresh = () => {
      machine.stateError = undefined;
      return Promise.resolve();
    };
    expect(await bench.answer(getChassisStatus)).toBe('00 61 00 40 00');
  });

  it('reports that the machine is unreachable', async () => {
    const bench = commandBench();
    bench.bmc.machine.stateError = new MachineError('Unavailable', 'not synced');
    expect(await bench.answer(getChassisStatus)).toBe('d3');
  });
});
