import { describe, expect, it } from 'vitest';
import type { RestorePolicy } from '../../../machine/index.ts';
import { commandBench } from '../../testing/run-command.ts';
import { getChassisStatus } from './get-chassis-status.ts';
import { setPowerRestorePolicy } from './power-restore-policy.ts';

describe('Set Power Restore Policy', () => {
  it.each<[RestorePolicy | undefined, string, string]>([
    ['AlwaysOff', '01', '01'],
    ['Previous', '02', '21'],
    ['AlwaysOn', '04', '41'],
    [undefined, '00', '61'],
  ])('supports only policy %s, which the chassis status also reports', async (policy, supported, status) => {
    const bench = commandBench();
    bench.bmc.machine.policy = policy;
    expect(await bench.answer(setPowerRestorePolicy, '03')).toBe(`00 ${supported}`);
    expect((await bench.answer(getChassisStatus)).split(' ')[1]).toBe(status);
  });

  it("accepts the current policy, and rejects a change of the owner's choice", async () => {
    const bench = commandBench();
    bench.bmc.machine.policy = 'AlwaysOn';
    expect(await bench.answer(setPowerRestorePolicy, '02')).toBe('00 04');
    for (const other of ['00', '01', '04']) expect(await bench.answer(setPowerRestorePolicy, other)).toBe('cc');
  });
});
