import { describe, expect, it } from 'vitest';
import { checkAgainstSchema, needsSchemas } from '../testing/index.ts';
import { SYSTEM } from '../uris.ts';
import { SystemUnderTest } from '../testing/system-under-test.ts';

describe('the System and its subordinate resources', () => {
  it.each([
    'Processors/3',
    'EthernetInterfaces/none',
    'Storage/2',
    'Storage/1/Controllers/ide',
    'BootOptions/Boot9999',
  ])('have no %s', async (path) => {
    expect(await new SystemUnderTest().get(`${SYSTEM}/${path}`)).toBeUndefined();
  });

  it('conform to their schemas without any hardware data', needsSchemas, async () => {
    const system = new SystemUnderTest();
    system.machine.state = 'Off';
    system.machine.parts = {
      manufacturer: 'Example',
      networkInterfaces: [{ name: 'a', ipAddresses: [] }],
      disks: [{ name: 'b', kind: 'Disk', isReadOnly: false }],
    };
    system.machine.options = [{ id: 'interface:a', device: 'Pxe', instance: 1, name: 'a' }];
    const payloads = await Promise.all(system.uris.map((uri) => system.get(uri)));
    expect(payloads.flatMap((payload) => checkAgainstSchema(payload ?? {}))).toEqual([]);
  });

  it('wait for a fresh power state', async () => {
    const system = new SystemUnderTest();
    system.machine.refresh = () => {
      system.machine.state = 'Paused';
      return Promise.resolve();
    };
    expect(await system.get()).toMatchObject({ PowerState: 'Paused' });
  });
});
