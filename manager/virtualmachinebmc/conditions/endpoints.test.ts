import { describe, expect, it } from 'vitest';
import { aBmc, certificate, inputs, secret, withService } from '../testing/builders.ts';
import { addressesOf } from './endpoints.ts';

const ports = [
  { name: 'ipmi', port: 623, protocol: 'UDP', nodePort: 30623 },
  { name: 'redfish', port: 443, protocol: 'TCP', nodePort: 30443 },
];
const clusterIP = '10.43.7.9';

describe('the addresses of a BMC', () => {
  it('are those of the Service', () => {
    expect(addressesOf(inputs())).toEqual({
      clusterIP,
      endpoints: { ipmi: '10.43.7.9:623', redfish: 'https://10.43.7.9' },
    });
  });

  it("use the node port on the agent's node", () => {
    expect(addressesOf(withService({ type: 'NodePort', clusterIP, ports }, undefined)).endpoints).toEqual({
      ipmi: '10.0.0.5:30623',
      redfish: 'https://10.0.0.5:30443',
    });
  });

  it('use the address of the load balancer, or its host name', () => {
    const balanced = (ingress: object) =>
      addressesOf(withService({ type: 'LoadBalancer', clusterIP, ports }, { loadBalancer: { ingress: [ingress] } }));
    expect(balanced({ ip: '192.0.2.7' })).toEqual({
      clusterIP,
      loadBalancerIP: '192.0.2.7',
      endpoints: { ipmi: '192.0.2.7:623', redfish: 'https://192.0.2.7' },
    });
    expect(balanced({ hostname: 'lb.example' })).toEqual({
      clusterIP,
      endpoints: { ipmi: 'lb.example:623', redfish: 'https://lb.example' },
    });
    expect(balanced({ ip: '2001:db8::7' }).endpoints).toEqual({
      ipmi: '[2001:db8::7]:623',
      redfish: 'https://[2001:db8::7]',
    });
  });

  it('drop a load balancer that the Service no longer has', () => {
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } };
    expect(addressesOf(withService({ type: 'ClusterIP', clusterIP, ports }, status))).toEqual({
      clusterIP,
      endpoints: { ipmi: '10.43.7.9:623', redfish: 'https://10.43.7.9' },
    });
  });

  it('have no Redfish endpoint before there is a certificate', () => {
    const absent = certificate({ held: { standing: 'Absent' } });
    expect(addressesOf(inputs({ certificate: absent })).endpoints).toEqual({ ipmi: '10.43.7.9:623' });
  });

  it('have no IPMI endpoint if the spec or the credentials disable IPMI', () => {
    const off = addressesOf(inputs({ bmc: aBmc({ ipmi: { enabled: false } }) }));
    expect(off.endpoints).toEqual({ redfish: 'https://10.43.7.9' });
    expect(addressesOf(inputs({ secret: secret('admin', 'p'.repeat(21)) })).endpoints).toBeUndefined();
  });
});
