import { describe, expect, it } from 'vitest';
import { MachineError } from '../../machine/index.ts';
import { checkAgainstSchema, needsSchemas } from '../testing/index.ts';
import { SYSTEM } from '../uris.ts';
import { SystemUnderTest } from '../testing/system-under-test.ts';

/** URIs in a payload. */
function linksIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(linksIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === '@odata.id' ? [String(part)] : linksIn(part)));
}

describe('the System and its subordinate resources', () => {
  it('link only to existing resources, except those of other folders', async () => {
    const system = new SystemUnderTest();
    const payloads = await Promise.all(system.uris.map((uri) => system.get(uri)));
    const elsewhere = /^\/redfish\/v1\/(Chassis\/1|Managers\/1|Systems\/1\/(VirtualMedia|LogServices))$/;
    const links = [...new Set(payloads.flatMap(linksIn))].filter((uri) => !elsewhere.test(uri));
    const found = await Promise.all(links.map((uri) => system.get(uri)));
    expect(links.filter((_, index) => found[index] === undefined)).toEqual([]);
    expect(links).toContain(`${SYSTEM}/Processors/2`);
  });

  it.each([
    'Processors/3',
    'EthernetInterfaces/none',
    'Storage/2',
    'Storage/1/Controllers/ide',
    'BootOptions/Boot9999',
  ])('have no %s', async (path) => {
    expect(await new SystemUnderTest().get(`${SYSTEM}/${path}`)).toBeUndefined();
  });

  it.each([false, true])('is as its schemas say; deprecated properties: %s', needsSchemas, async (legacy) => {
    const system = new SystemUnderTest();
    system.bmc.legacyProperties = legacy;
    system.machine.policy = 'Previous';
    system.machine.poweredOn = system.bmc.time;
    expect(await problemsOf(system, legacy)).toEqual([]);
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
    expect(await problemsOf(system, false)).toEqual([]);
  });

  it('wait for a fresh power state', async () => {
    const system = new SystemUnderTest();
    system.machine.refresh = () => {
      system.machine.state = 'Paused';
      return Promise.resolve();
    };
    expect(await system.get()).toMatchObject({ PowerState: 'Paused' });
  });

  it('cannot be read while the power state is not known', async () => {
    const system = new SystemUnderTest();
    system.machine.stateError = new MachineError('Unavailable', 'the API server does not answer');
    await expect(system.get()).rejects.toThrow('the API server does not answer');
  });
});

async function problemsOf(system: SystemUnderTest, legacy: boolean): Promise<string[]> {
  const payloads = await Promise.all(system.uris.map((uri) => system.get(uri)));
  return payloads.flatMap((payload) => (payload === undefined ? ['missing'] : checkAgainstSchema(payload, { legacy })));
}
