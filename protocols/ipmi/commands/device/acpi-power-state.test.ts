import { describe, expect, it } from 'vitest';
import { MachineError, type PowerState } from '../../../machine/index.ts';
import { commandBench } from '../../testing/run-command.ts';
import { getAcpiPowerState as get, setAcpiPowerState as set } from './acpi-power-state.ts';

describe('the ACPI power state', () => {
  it.each<[PowerState, string]>([
    ['On', '00 00 00'],
    ['Paused', '00 01 00'],
    ['PoweringOff', '00 00 00'],
    ['Off', '00 05 03'],
    ['PoweringOn', '00 05 03'],
  ])('of a machine in state %s is S0 or S1 and D0, or S5 and D3', async (state, answer) => {
    const bench = commandBench();
    bench.bmc.machine.state = state;
    expect(await bench.answer(get, '', bench.session(2))).toBe(answer);
  });

  it('waits for a refreshed power state of the machine', async () => {
    const bench = commandBench();
    const { machine } = bench.bmc;
    machine.refresh = () => {
      machine.state = 'Off';
      return Promise.resolve();
    };
    expect(await bench.answer(get)).toBe('00 05 03');
    expect(await bench.answer(set, '85 83')).toBe('00');
  });

  it("is unknown if the machine's state is unknown", async () => {
    const bench = commandBench();
    bench.bmc.machine.stateError = new MachineError('Unavailable', 'no API');
    expect(await bench.answer(get)).toBe('00 2a 2a');
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
    expect(await commandBench().answer(set, data)).toBe(answer);
  });
});
