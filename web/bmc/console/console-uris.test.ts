import { expect, it } from 'vitest';
import type { ComputerSystem, Manager } from '../redfish/resources.ts';
import { isSerialOff } from './console-uris.ts';

it.each<[what: string, system: Partial<ComputerSystem>, manager: Partial<Manager>, isOff: boolean]>([
  ['not yet known', {}, {}, false],
  ['on', { SerialConsole: { WebSocket: { ServiceEnabled: true } } }, {}, false],
  ['off', { SerialConsole: { WebSocket: { ServiceEnabled: false } } }, {}, true],
  ['on, with legacy properties', {}, { SerialConsole: { ConnectTypesSupported: ['IPMI', 'Oem'] } }, false],
  ['off, with legacy properties', {}, { SerialConsole: { ConnectTypesSupported: ['IPMI'] } }, true],
])('the serial console is %s', (_what, system, manager, isOff) => {
  // Only these properties are read.
  expect(isSerialOff(system as ComputerSystem, manager as Manager)).toBe(isOff);
});
