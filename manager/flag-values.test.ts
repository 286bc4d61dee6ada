import { describe, expect, it } from 'vitest';
import { HealthServer } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import {
  AddressError,
  parseAddress,
  ClusterDomainError,
  clusterDomainOf,
  clusterRangesOf,
  dnsSuffixesOf,
  ntpRangesOf,
} from './flag-values.ts';

describe('an address on the command line', () => {
  it.each([
    ['127.0.0.1:8081', { host: '127.0.0.1', port: 8081 }],
    ['[::1]:8081', { host: '::1', port: 8081 }],
    [':8081', { host: '', port: 8081 }],
    ['', undefined],
    ['0', undefined],
  ])('reads %j', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it('without a host is that of both address families', async () => {
    const server = new HealthServer({ logger: silentLogger });
    const port = await server.listen(parseAddress(':0') ?? expect.fail('no address'));
    try {
      for (const host of ['127.0.0.1', '[::1]']) {
        const { status } = await fetch(`http://${host}:${port}/healthz`);
        expect([host, status]).toEqual([host, 200]);
      }
    } finally {
      await server.close();
    }
  });

  it.each(['8081', 'host', '::1:8081', 'host:99999', 'host:'])('rejects %j and names the expected form', (text) => {
    expect(() => parseAddress(text)).toThrow(AddressError);
    expect(() => parseAddress(text)).toThrow('write host:port');
  });
});

const POD = `search groundcrew-system.svc.k8s.example svc.k8s.example k8s.example dc1.example
nameserver 10.43.0.10
options ndots:5
`;

describe('the DNS domain of the cluster', () => {
  it.each<[string, string | undefined, string | undefined, string]>([
    ['is the configured one', 'corp.example', POD, 'corp.example'],
    ['may end with a dot', 'corp.example.', undefined, 'corp.example'],
    ['may be one label', 'cluster', undefined, 'cluster'],
    ['is that of the pod', undefined, POD, 'k8s.example'],
    ['is that of the pod if none is configured', '', POD, 'k8s.example'],
    ['is that of the last search line', undefined, `search svc.old.example\n${POD}`, 'k8s.example'],
    ['is found between tabs', undefined, 'search\tgc.svc.a.example\tsvc.a.example', 'a.example'],
    [
      'is that of a pod in a namespace `svc`',
      undefined,
      'search svc.svc.a.example svc.a.example a.example',
      'a.example',
    ],
    ['may itself begin with `svc`', undefined, 'search gc.svc.svc.a svc.svc.a svc.a', 'svc.a'],
    ['is that of the pod rather than its node’s', undefined, 'search gc.svc.a svc.a a svc.dc1.example', 'a'],
    ['is that of a pod whose namespace is not searched', undefined, 'search svc.a.example', 'a.example'],
    [
      'is the default on a machine that is not a pod',
      undefined,
      'search dc1.example\nnameserver 192.0.2.1\n',
      'cluster.local',
    ],
    [
      'is the default if all entries are invalid',
      undefined,
      'search svc. svc..x svc.UPPER #svc.b.example',
      'cluster.local',
    ],
    ['is the default if resolv.conf cannot be read', undefined, undefined, 'cluster.local'],
  ])('%s', (_, named, resolvConf, domain) => {
    expect(clusterDomainOf(named, resolvConf)).toBe(domain);
  });

  it.each(['two words', 'under_score', '.', 'a..b', '-a', `${'a'.repeat(64)}.example`, 'x.'.repeat(130)])(
    'may not be %j',
    (named) => {
      expect(() => clusterDomainOf(named, POD)).toThrow(ClusterDomainError);
    },
  );
});

describe('the domains whose names BMCs may have', () => {
  it('are read in any notation, and refused if they are none', () => {
    expect(dnsSuffixesOf()).toEqual([]);
    expect(dnsSuffixesOf(['Lab.Example', '.b.example.', '*.c.example'])).toEqual([
      'lab.example',
      'b.example',
      'c.example',
    ]);
    for (const text of ['', '*', '10.0.0.1', 'a b']) expect(() => dnsSuffixesOf([text])).toThrow(ClusterDomainError);
  });
});

describe('the private addresses of NTP servers', () => {
  it('are read as CIDRs', () => {
    expect(ntpRangesOf(['10.20.0.0/16'])).toMatchObject([{ prefix: 16 }]);
    expect(() => ntpRangesOf(['10.20.0.0'])).toThrow(AddressError);
  });
});

const env = { KUBERNETES_SERVICE_HOST: '10.43.0.1' };

describe("the cluster's own addresses", () => {
  it('are the configured ranges and the address of the API server', () => {
    expect(clusterRangesOf({ clusterRanges: ['10.42.0.0/16'], env })).toEqual(['10.42.0.0/16', '10.43.0.1/32']);
    expect(clusterRangesOf({ env })).toEqual(['10.43.0.1/32']);
  });

  it('are only the configured ranges outside the cluster or without an API server address', () => {
    expect(clusterRangesOf({ clusterRanges: ['10.42.0.0/16'], kubeconfig: 'config', env })).toEqual(['10.42.0.0/16']);
    expect(clusterRangesOf({ env: {} })).toEqual([]);
  });
});
