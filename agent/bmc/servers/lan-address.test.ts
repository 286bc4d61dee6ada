import { expect, it } from 'vitest';
import { lanAddressOf } from './network-of.ts';

it.each([
  ['the endpoint', { endpoints: { ipmi: '192.0.2.7:30623' }, clusterIP: '10.0.0.1' }, '192.0.2.7'],
  ['the load balancer', { loadBalancerIP: '192.0.2.8', clusterIP: '10.0.0.1' }, '192.0.2.8'],
  ['the Service in the cluster', { clusterIP: '10.0.0.1' }, '10.0.0.1'],
  ['nothing yet', {}, undefined],
])('the LAN address of a BMC is %s', (_name, status, address) => {
  expect(lanAddressOf({ status })).toBe(address);
});
