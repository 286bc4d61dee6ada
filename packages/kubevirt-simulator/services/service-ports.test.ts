import { describe, expect, it } from 'vitest';
import type { Pod, Service } from '@groundcrew/controller-runtime';
import { servicePortsOf } from './service-ports.ts';

function aPod(
  name: string,
  ip: string,
  change: { ready?: boolean; terminating?: boolean; labels?: Record<string, string> } = {},
): Pod {
  const { ready = true, terminating = false, labels = { app: 'bmc' } } = change;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name, namespace: 'default', labels },
      ...(terminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { containers: [{ name: 'agent', ports: [{ name: 'ipmi', containerPort: 10623, protocol: 'UDP' }] }] },
    status: { podIP: ip, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

function aService(spec: Partial<NonNullable<Service['spec']>> = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'bmc', namespace: 'default' },
    spec: {
      type: 'NodePort',
      clusterIP: '127.96.0.7',
      selector: { app: 'bmc' },
      ports: [{ name: 'ipmi', protocol: 'UDP', port: 623, targetPort: 'ipmi', nodePort: 30623 }],
      ...spec,
    },
  };
}

const ports = (service: Service, pods: Pod[]): ReturnType<typeof servicePortsOf> =>
  servicePortsOf(service, pods, '127.0.0.1');

describe('the ports of a Service', () => {
  it('listen on the required node port and on the optional cluster address', () => {
    expect(ports(aService(), [aPod('a', '127.64.0.1')])).toEqual([
      {
        protocol: 'UDP',
        name: 'ipmi',
        listen: [
          { address: '127.0.0.1', port: 30623, required: true },
          { address: '127.96.0.7', port: 623, required: false },
        ],
        backends: [{ address: '127.64.0.1', port: 10623 }],
        draining: [],
      },
    ]);
  });

  it('have the ready pods of the selector as backends, by number or name of the port', () => {
    const pods = [
      aPod('a', '127.64.0.1'),
      aPod('b', '127.64.0.2', { ready: false }),
      aPod('c', '127.64.0.3', { labels: {} }),
    ];
    expect(ports(aService(), pods)[0]?.backends).toEqual([{ address: '127.64.0.1', port: 10623 }]);
    const numbered = aService({ ports: [{ port: 80, targetPort: 8080 }] });
    expect(ports(numbered, pods)[0]).toMatchObject({
      protocol: 'TCP',
      name: '80',
      backends: [{ address: '127.64.0.1', port: 8080 }],
    });
    const unnamed = aService({ ports: [{ port: 80, targetPort: 'none' }] });
    expect(ports(unnamed, pods)[0]?.backends).toEqual([]);
  });

  it('have draining pods: of TCP all others, also unselected ones, of UDP terminating ones that are ready', () => {
    const pods = [
      aPod('a', '127.64.0.1'),
      aPod('b', '127.64.0.2', { ready: false }),
      aPod('c', '127.64.0.3', { terminating: true }),
      aPod('d', '127.64.0.4', { terminating: true, ready: false }),
      aPod('e', '127.64.0.5', { labels: {} }),
    ];
    const draining = (service: Service) => ports(service, pods)[0]?.draining.map(({ address }) => address);
    expect(draining(aService())).toEqual(['127.64.0.3']);
    const tcp = aService({ ports: [{ port: 80, targetPort: 8080 }] });
    expect(draining(tcp)).toEqual(['127.64.0.2', '127.64.0.3', '127.64.0.4', '127.64.0.5']);
  });

  it('do not exist without a selector and for an ExternalName', () => {
    expect(ports(aService({ selector: {} }), [])).toEqual([]);
    expect(ports(aService({ type: 'ExternalName' }), [])).toEqual([]);
  });

  it('have no cluster address in a headless Service', () => {
    expect(ports(aService({ clusterIP: 'None' }), [])[0]?.listen).toHaveLength(1);
  });
});
