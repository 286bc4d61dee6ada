import { expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getChassisCapabilities } from './chassis-settings.ts';

it('Get Chassis Capabilities reports no front panel, and the BMC as every device', async () => {
  expect(await commandBench().answer(getChassisCapabilities)).toBe('00 00 20 20 20 20 20');
});
