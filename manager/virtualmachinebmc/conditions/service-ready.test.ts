import { describe, expect, it } from 'vitest';
import type { Service } from '@groundcrew/controller-runtime';
import type { Inputs } from '../inputs.ts';
import { aBmc, inputs, children, secret } from '../testing/builders.ts';
import { addressesOf } from './endpoints.ts';
import { serviceReady } from './service-ready.ts';

function withService(spec: Service['spec'], status?: Service['status']): Inputs {
  const bmc = aBmc({ status: { agent: { name: 'agent-1' } } });
  const metadata = { name: 'web-virtbmc', namespace: 'vms' };
  const object = { apiVersion: 'v1', kind: 'Service', metadata, spec, status } as Service;
  return inputs({ bmc, children: { ...children(bmc), service: { standing: 'Ours', object } } });
}

const ports = [
  { name: 'ipmi', port: 623, protocol: 'UDP', nodePort: 30623 },
  { name: 'redfish', port: 443, protocol: 'TCP', nodePort: 30443 },
];
const clusterIP = '10.43.7.9';

describe('ServiceReady', () => {
  it('is True with a cluster IP', () => {
    expect(serviceReady(inputs())).toMatchObject({ status: 'True', reason: 'ServiceReady' });
  });

  it('waits for the Service, its cluster IP, its node port and its load balancer', () => {
    const bmc = aBmc();
    const absent = inputs({ bmc, children: { ...children(bmc), service: { standing: 'Absent' } } });
    const waiting = [
      absent,
      withService({ type: 'ClusterIP' }),
      withService({ type: 'NodePort', clusterIP, ports: [{ port: 623 }] }),
      withService({ type: 'LoadBalancer', clusterIP, ports }),
    ];
    for (const given of waiting)
      expect(serviceReady(given)).toMatchObject({ status: 'False', reason: 'ServiceNotReady' });
  });

  it('accepts a host name as load balancer address', () => {
    const given = withService(
      { type: 'LoadBalancer', clusterIP, ports },
      { loadBalancer: { ingress: [{ hostname: 'lb.example' }] } },
    );
    expect(serviceReady(given)).toMatchObject({ status: 'True' });
  });

  it('reports a Service of another owner and leaves it unchanged', () => {
    const bmc = aBmc();
    const { service } = children(bmc);
    const object = service.standing === 'Absent' ? undefined : service.object;
    if (object === undefined) throw new Error('the builder makes one');
    const given = inputs({
      bmc,
      children: { ...children(bmc), service: { standing: 'Theirs', object, owner: 'no BMC' } },
    });
    const result = serviceReady(given);
    expect(result).toMatchObject({ status: 'False', reason: 'NotOwned' });
    expect(result.message).toContain('Service web-virtbmc already exists and belongs to no BMC');
  });

  it("repeats the API server's message if it rejects the Service", () => {
    const refusals = [
      { child: 'service', object: 'Service web-virtbmc', message: 'port is already allocated' },
    ] as const;
    expect(serviceReady(inputs({ refusals })).message).toContain('port is already allocated');
  });
});

describe('the addresses of a BMC', () => {
  it('are those of the Service', () => {
    expect(addressesOf(inputs())).toEqual({
      clusterIP,
      endpoints: { ipmi: '10.43.7.9:623', redfish: 'https://10.43.7.9' },
    });
  });

  it("use the node port on the agent's node", () => {
    expect(addressesOf(withService({ type: 'NodePort', clusterIP, ports })).endpoints).toEqual({
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
    const certificate = {
      held: { standing: 'Absent' },
      authority: undefined,
      names: [],
      clusterDomain: 'cluster.local',
    } as const;
    expect(addressesOf(inputs({ certificate })).endpoints).toEqual({ ipmi: '10.43.7.9:623' });
  });

  it('have no IPMI endpoint if the spec or the credentials disable IPMI', () => {
    const off = addressesOf(inputs({ bmc: aBmc({ ipmi: { enabled: false } }) }));
    expect(off.endpoints).toEqual({ redfish: 'https://10.43.7.9' });
    expect(addressesOf(inputs({ secret: secret('admin', 'p'.repeat(21)) })).endpoints).toBeUndefined();
  });
});
