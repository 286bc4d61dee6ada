import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { alwaysTo, evaluateHost, isListedHost, type HostDependencies, type HostEvaluation } from './evaluate-host.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'server.example': ['192.0.2.80', '2001:db8::80'],
  'metadata.example': ['169.254.169.254'],
  'half.example': ['127.0.0.1', '192.0.2.80'],
  'api.example': ['10.96.0.1'],
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
  const API = 'the platform API';

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
    ['https://api.example/api', API],
    ['https://[::ffff:10.96.0.1]/api', API],
    ['https://[::10.96.0.1]/api', API],
    ['https://[64:ff9b::10.96.0.1]/api', API],
    ['http://[::169.254.169.254]/latest/meta-data', 'a link-local address'],
    ['https://10.96.0.1/api', API, { hosts: ['10.96.0.1'] }],
    ['https://10.96.0.1/', API, { ownApi: { host: 'api.example', port: 443 } }],
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

describe('isListedHost', () => {
  it.each([
    ['https://images.example/a.iso', 'images.example'],
    ['https://IMAGES.example/a.iso', 'Images.Example'],
    ['https://images.example:8443/a.iso', 'images.example'],
    ['https://images.example:8443/a.iso', 'images.example:8443'],
    ['https://images.example/a.iso', 'images.example:443'],
    ['http://192.0.2.7/a.iso', '192.0.2.7:80'],
    ['http://[2001:db8::7]/a.iso', '2001:db8::7'],
    ['http://[2001:db8::7]:8080/a.iso', '[2001:db8::7]:8080'],
  ])('matches %s with %s', (url, host) => {
    expect(isListedHost(new URL(url), ['other.example', host])).toBe(true);
  });

  it.each([
    ['https://images.example.evil.example/', 'images.example'],
    ['https://evil.example/images.example', 'images.example'],
    ['https://images.example@evil.example/', 'images.example'],
    ['https://images.example:8443/', 'images.example:443'],
    ['https://sub.images.example/', 'images.example'],
  ])('does not match %s with %s', (url, host) => {
    expect(isListedHost(new URL(url), [host])).toBe(false);
  });
});

it('alwaysTo returns only the evaluated addresses, with and without `all`', () => {
  const answers: unknown[] = [];
  const note = (_error: unknown, address: string | LookupAddress[], family?: number): void => {
    answers.push([address, family]);
  };
  alwaysTo(['192.0.2.80', '2001:db8::80'])('rebinding.example', { all: true }, note);
  alwaysTo(['2001:db8::80'])('rebinding.example', {}, note);
  expect(answers).toEqual([
    [
      [
        { address: '192.0.2.80', family: 4 },
        { address: '2001:db8::80', family: 6 },
      ],
      undefined,
    ],
    ['2001:db8::80', 6],
  ]);
});
