import { describe, expect, it } from 'vitest';
import type { PowerAction } from '../../../machine/index.ts';
import { commandBench } from '../../testing/run-command.ts';
import { chassisControl } from './chassis-control.ts';

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
    const bench = commandBench();
    expect(await bench.answer(chassisControl, data)).toBe('00');
    const requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' };
    expect(bench.bmc.machine.calls).toEqual([{ kind: 'power', action, requester }]);
  });

  it('answers 0xD5 to a power cycle while the machine is off', async () => {
    const bench = commandBench();
    bench.bmc.machine.state = 'Off';
    expect(await bench.answer(chassisControl, '02')).toBe('d5');
  });

  it.each(['06', '0f'])('answers 0xCC to %s and does nothing', async (data) => {
    const bench = commandBench();
    expect(await bench.answer(chassisControl, data)).toBe('cc');
    expect(bench.bmc.machine.calls).toEqual([]);
  });
});
