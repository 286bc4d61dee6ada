import { describe, expect, it } from 'vitest';
import { BMC_DEFAULTS } from '../../../api/index.ts';
import { aBmc } from '../testing/builders.ts';
import { advertisedPortOf, lanAddressOf, networkOf } from './network-of.ts';

const spec = { virtualMachineRef: { name: 'a' } };

describe('networkOf', () => {
  it('returns the names of the Service while nothing else is known', () => {
    expect(networkOf(aBmc(), BMC_DEFAULTS)).toEqual({
      hostName: 'a-virtbmc',
      fqdn: 'a-virtbmc.vms.svc',
      addresses: [],
      httpsPort: 443,
      ipmiPort: 623,
    });
  });

  it('prefers the endpoints in the status', () => {
    const endpoints = { ipmi: '192.0.2.7:30623', redfish: 'https://192.0.2.7:30443' };
    const bmc = aBmc({ status: { endpoints, clusterIP: '10.43.7.9' } });
    expect(networkOf(bmc, BMC_DEFAULTS)).toMatchObject({
      addresses: ['192.0.2.7', '10.43.7.9'],
      httpsPort: 30443,
      ipmiPort: 30623,
    });
  });

  it('distinguishes IPv6 addresses and host names', () => {
    const at = (redfish: string) => networkOf(aBmc({ status: { endpoints: { redfish } } }), BMC_DEFAULTS).addresses;
    expect(at('https://[2001:db8::7]')).toEqual(['2001:db8::7']);
    expect(at('https://lb.example')).toEqual([]);
    expect(at('invalid')).toEqual([]);
  });

  it('returns only the ports of enabled protocols', () => {
    const bmc = aBmc({ spec: { ...spec, ipmi: { enabled: false }, redfish: { http: { enabled: true } } } });
    const network = networkOf(bmc, BMC_DEFAULTS);
    expect(network).toMatchObject({ httpPort: 80 });
    expect(network).not.toHaveProperty('ipmiPort');
  });

  it('does not return a node port of plain HTTP', () => {
    const endpoints = { redfish: 'https://192.0.2.7:30443' };
    const bmc = aBmc({ spec: { ...spec, redfish: { http: { enabled: true } } }, status: { endpoints } });
    expect(networkOf(bmc, BMC_DEFAULTS)).toMatchObject({ httpsPort: 30443, httpPort: null });
  });
});

describe('the port in Activate Payload', () => {
  it.each([
    [
      'set in the spec',
      { spec: { ...spec, ipmi: { advertisedPort: 6230 } }, status: { endpoints: { ipmi: 'a:7' } } },
      6230,
    ],
    ['a node port', { spec, status: { endpoints: { ipmi: '192.0.2.7:30623' } } }, 30_623],
    ['IPv6', { spec, status: { endpoints: { ipmi: '[2001:db8::7]:623' } } }, 623],
    ['unknown', { spec }, 1],
    ['no endpoint', { spec, status: { endpoints: {} } }, 1],
    ['invalid', { spec, status: { endpoints: { ipmi: 'a:70000' } } }, 1],
  ])('is correct: %s', (_name, bmc, port) => {
    expect(advertisedPortOf(bmc, 1)).toBe(port);
  });
});

it.each([
  ['the endpoint', { endpoints: { ipmi: '192.0.2.7:30623' }, clusterIP: '10.0.0.1' }, '192.0.2.7'],
  ['the load balancer', { loadBalancerIP: '192.0.2.8', clusterIP: '10.0.0.1' }, '192.0.2.8'],
  ['the Service in the cluster', { clusterIP: '10.0.0.1' }, '10.0.0.1'],
  ['unknown', {}, undefined],
])('the LAN address of a BMC is %s', (_name, status, address) => {
  expect(lanAddressOf({ status })).toBe(address);
});
