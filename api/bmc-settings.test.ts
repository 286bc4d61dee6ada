import { describe, expect, it } from 'vitest';
import { ipmiSettings, placementOf, redfishSettings, serviceType } from './bmc-settings.ts';
import { leaseTimeOf, type IPPoolSpec } from './network-resources.ts';
import { virtualMachineBMCSpec } from './schemas/index.ts';
import type { VirtualMachineBMCSpec } from './virtual-machine-bmc.ts';

const bare: VirtualMachineBMCSpec = { virtualMachineRef: { name: 'testvm' } };

describe('the settings of a BMC', () => {
  it('are the same with and without defaults of the API server', () => {
    const filled = virtualMachineBMCSpec.parse({ ...bare, service: {}, ipmi: { lockout: {} }, redfish: {} });
    expect(ipmiSettings(filled)).toEqual(ipmiSettings(bare));
    expect(redfishSettings(filled)).toEqual(redfishSettings(bare));
    expect(serviceType(filled)).toBe(serviceType(bare));
    expect(filled.placement).toBeUndefined();
  });

  it('use the defaults of the installation unless the BMC sets them', () => {
    const installation = { ipmi: false, redfishHttp: true, webConsole: false };
    expect(ipmiSettings(bare, installation).enabled).toBe(false);
    expect(redfishSettings(bare, installation)).toMatchObject({ http: true, webConsole: false });
    const chosen: VirtualMachineBMCSpec = {
      ...bare,
      ipmi: { enabled: true },
      redfish: { http: { enabled: false }, webConsole: true },
    };
    expect(ipmiSettings(chosen, installation).enabled).toBe(true);
    expect(redfishSettings(chosen, installation)).toMatchObject({ http: false, webConsole: true });
  });

  it('use the BMC’s fields, each with its own default', () => {
    const spec: VirtualMachineBMCSpec = { ...bare, ipmi: { cipherSuites: [3], lockout: { threshold: 0 } } };
    expect(ipmiSettings(spec)).toMatchObject({ cipherSuites: [3], lockout: { threshold: 0, seconds: 60 } });
  });
});

describe('the placement of a BMC', () => {
  const agent = { image: 'x' };
  it.each([
    ['its own', { placement: 'Dedicated' }, 'Shared', 'Shared', 'Dedicated'],
    ['that of its namespace', {}, 'Shared', 'Dedicated', 'Shared'],
    ['that of the installation', {}, undefined, 'Shared', 'Shared'],
    ['that of the installation, if the annotation is no placement', {}, 'shared', 'Dedicated', 'Dedicated'],
    ['Dedicated, if it has settings for an agent', { agent }, 'Shared', 'Shared', 'Dedicated'],
    ['Dedicated, if it asks for both', { agent, placement: 'Shared' }, undefined, 'Shared', 'Dedicated'],
  ] as const)('is %s', (_, spec, ofNamespace, ofInstallation, expected) => {
    expect(placementOf({ ...bare, ...spec }, ofNamespace, ofInstallation)).toBe(expected);
  });
});

describe('leaseTimeOf', () => {
  const pool = (leaseTime?: number): IPPoolSpec => ({
    networkName: 'net',
    ipv4Config: {
      cidr: '10.0.0.0/24',
      serverIP: '10.0.0.2',
      pool: { start: '10.0.0.3', end: '10.0.0.9' },
      ...(leaseTime === undefined ? {} : { leaseTime }),
    },
  });

  it('is the pool’s, or 12 hours by default', () => {
    expect(leaseTimeOf(pool(300))).toBe(300);
    for (const spec of [pool(), pool(0), pool(-1), { networkName: 'net' }]) expect(leaseTimeOf(spec)).toBe(43_200);
  });
});
