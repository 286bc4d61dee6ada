import { expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getChassisCapabilities } from './get-chassis-capabilities.ts';

it('Get Chassis Capabilities says that there is no front panel, and that the BMC is every device', async () => {
  expect(await commandBench().answer(getChassisCapabilities)).toBe('00 00 20 20 20 20 20');
});
