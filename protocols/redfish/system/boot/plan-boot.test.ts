import { expect, it } from 'vitest';
import { SystemUnderTest } from '../testing/index.ts';

it('does not set an unchanged boot order when a client sends back all of Boot, as bmclib does', async () => {
  const system = new SystemUnderTest();
  const { BootOrder = [] } = await system.boot();
  expect(BootOrder).toHaveLength(2);
  await system.patch({ Boot: { BootOrder, BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' } });
  expect(system.machine.calls.map(({ kind }) => kind)).toEqual(['bootOverride']);
});
