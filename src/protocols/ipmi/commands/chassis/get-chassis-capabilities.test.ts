import { expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { getChassisCapabilities } from './get-chassis-capabilities.ts';

it('Get Chassis Capabilities offers the diagnostic interrupt, and says that the BMC is every device', async () => {
  expect(await commandBench().answer(getChassisCapabilities)).toBe('00 04 20 20 20 20 20');
});
