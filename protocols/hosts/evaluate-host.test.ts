import { describe, expect, it } from 'vitest';
import type { HostDependencies } from './host-dependencies.ts';
import { evaluateHost, type HostEvaluation } from './evaluate-host.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'server.example': ['192.0.2.80', '2001:db8::80'],
  'metadata.example': ['169.254.169.254'],
  'half.example': ['127.0.0.1', '192.0.2.80'],
  'kubernetes.default.svc': ['10.96.0.1'],
  'zoned.example': ['fe80::1%eth0'],
  'nonsense.example': ['nonsense'],
  'empty.example': [],
  localhost: ['127.0.0.1', '::1'],
};

type Change = Partial<HostDependencies> & { hosts?: readonly string[] };

async function evaluated(url: string, { hosts = [], ...change }: Change = {}): Promise<HostEvaluation> {
  return await evaluateHost(new URL(url), hosts, {
    allowsLoopback: false,
    ownApi: { host: '10.96.0.1', port: 443 },
    resolve: (name) => {
      const addresses = NAMES[name];
      return addresses === undefined ? Promise.reject(new Error(`ENOTFOUND ${name}`)) : Promise.resolve(addresses);
    },
    ...change,
  });
}

describe('evaluateHost accepts', () => {
  it.each<[string, readonly string[], Change?]>([
    ['https://server.example/', ['192.0.2.80', '2001:db8::80']],
    ['http://10.96.7.7:8080/events', ['10.96.7.7']],
    ['http://192.168.1.1/', ['192.168.1.1']],
    ['http://[fd12::7]/', ['fd12::7']],
    // Another port of the API's address.
    ['http://10.96.0.1:8443/', ['10.96.0.1']],
    ['https://server.example/', ['192.0.2.80', '2001:db8::80'], { hosts: ['server.example'] }],
    ['http://127.0.0.1:9000/', ['127.0.0.1'], { hosts: ['127.0.0.1'] }],
    ['http://127.0.0.1:9000/', ['127.0.0.1'], { hosts: ['127.0.0.1:9000'] }],
    ['http://[::1]:9000/', ['::1'], { hosts: ['::1'] }],
    ['http://localhost/', ['127.0.0.1'], { hosts: ['localhost', '127.0.0.1'] }],
    ['http://127.0.0.1:9000/', ['127.0.0.1'], { allowsLoopback: true }],
    // Only the admitted address is used.
    ['http://half.example/', ['192.0.2.80']],
  ])('%s with %j', async (url, addresses, change) => {
    expect(await evaluated(url, change)).toEqual({ addresses });
  });
});

describe('evaluateHost refuses', () => {
  const SELF = 'an address of this machine itself';
  const API = 'the Kubernetes API';

  it.each<[string, string, Change?]>([
    ['http://0.0.0.0/', 'an unspecified address'],
    ['http://127.0.0.1/', SELF],
    ['http://2130706433/', SELF],
    ['http://[::ffff:127.0.0.1]/', SELF],
    ['http://localhost/', SELF],
    // The list allows the name, but not its current addresses.
    ['http://localhost/', SELF, { hosts: ['localhost'] }],
    ['http://metadata.example/', 'a link-local address', { hosts: ['metadata.example'] }],
    ['http://zoned.example/', 'a link-local address', { hosts: ['zoned.example'] }],
    ['http://nonsense.example/', 'no address', { hosts: ['nonsense.example'] }],
    ['http://empty.example/', 'no address'],
    ['http://169.254.169.254/latest/meta-data', 'a link-local address'],
    ['http://169.254.169.254/', 'a link-local address', { allowsLoopback: true }],
    ['http://100.100.100.200/', "an address of a cloud's own services"],
    ['http://[fe80::1]/', 'a link-local address'],
    ['http://224.0.0.1/', 'a multicast address'],
    ['http://255.255.255.255/', 'a broadcast address'],
    ['https://server.example/', 'unlisted', { hosts: ['other.example'] }],
    ['http://127.0.0.1:9001/', 'unlisted', { hosts: ['127.0.0.1:9000'] }],
    ['https://10.96.0.1/api', API],
    ['https://kubernetes.default.svc/api', API],
    ['https://[::ffff:10.96.0.1]/api', API],
    ['https://10.96.0.1/api', API, { hosts: ['10.96.0.1'] }],
    ['https://10.96.0.1/', API, { ownApi: { host: 'kubernetes.default.svc', port: 443 } }],
    ['https://127.0.0.1:6443/', API, { allowsLoopback: true, ownApi: { host: '127.0.0.1', port: 6443 } }],
  ])('%s: %s', async (url, refusal, change) => {
    expect(await evaluated(url, change)).toEqual({ refusal });
  });

  it('a name that does not resolve now', async () => {
    await expect(evaluated('http://unknown.example/')).rejects.toThrow('ENOTFOUND');
  });

  it('a name whose address has changed to a forbidden one', async () => {
    let addresses = ['192.0.2.80'];
    const change = { resolve: () => Promise.resolve(addresses) };
    expect(await evaluated('http://rebinding.example/', change)).toEqual({ addresses });
    addresses = ['127.0.0.1'];
    expect(await evaluated('http://rebinding.example/', change)).toEqual({
      refusal: 'an address of this machine itself',
    });
  });
});
