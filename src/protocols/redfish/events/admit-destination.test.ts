import { describe, expect, it } from 'vitest';
import type { ListenerPolicy } from '../options.ts';
import { admitDestination, RefusedDestination } from './admit-destination.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'listener.example': ['192.0.2.80', '2001:db8::80'],
  'metadata.example': ['169.254.169.254'],
  'half.example': ['127.0.0.1', '192.0.2.80'],
  'kubernetes.default.svc': ['10.96.0.1'],
  'zoned.example': ['fe80::1%eth0'],
  'nonsense.example': ['nonsense'],
  'empty.example': [],
  localhost: ['127.0.0.1', '::1'],
};

function policy(change: Partial<ListenerPolicy> & { hosts?: readonly string[] } = {}): ListenerPolicy {
  const { hosts = [], ...rest } = change;
  return {
    allowedHosts: () => hosts,
    allowsLoopback: false,
    ownApi: { host: '10.96.0.1', port: 443 },
    resolve: (name) => {
      const addresses = NAMES[name];
      return addresses === undefined ? Promise.reject(new Error(`ENOTFOUND ${name}`)) : Promise.resolve(addresses);
    },
    ...rest,
  };
}

const admitted = (url: string, change?: Parameters<typeof policy>[0]): Promise<readonly string[]> =>
  admitDestination(new URL(url), policy(change));

describe('events may be sent', () => {
  it.each<[string, readonly string[], Parameters<typeof policy>[0]?]>([
    ['https://listener.example/', ['192.0.2.80', '2001:db8::80']],
    ['http://10.96.7.7:8080/events', ['10.96.7.7']],
    ['http://192.168.1.1/', ['192.168.1.1']],
    ['http://[fd12::7]/', ['fd12::7']],
    // Another port of the address that the API has.
    ['http://10.96.0.1:8443/', ['10.96.0.1']],
    ['https://listener.example/', ['192.0.2.80', '2001:db8::80'], { hosts: ['listener.example'] }],
    ['http://127.0.0.1:9000/', ['127.0.0.1'], { hosts: ['127.0.0.1'] }],
    ['http://127.0.0.1:9000/', ['127.0.0.1'], { hosts: ['127.0.0.1:9000'] }],
    ['http://[::1]:9000/', ['::1'], { hosts: ['::1'] }],
    ['http://localhost/', ['127.0.0.1'], { hosts: ['localhost', '127.0.0.1'] }],
    ['http://127.0.0.1:9000/', ['127.0.0.1'], { allowsLoopback: true }],
    // Connected to by the address that is admitted alone.
    ['http://half.example/', ['192.0.2.80']],
  ])('to %s, at %j', async (url, addresses, change) => {
    expect(await admitted(url, change)).toEqual(addresses);
  });
});

describe('events are refused', () => {
  it.each<[string, RegExp, Parameters<typeof policy>[0]?]>([
    ['http://0.0.0.0/', /an unspecified address/],
    ['http://127.0.0.1/', /an address of this machine itself.*spec\.redfish\.events\.allowedHosts/],
    ['http://2130706433/', /an address of this machine itself/],
    ['http://[::ffff:127.0.0.1]/', /an address of this machine itself/],
    ['http://localhost/', /an address of this machine itself/],
    // A name that is listed says nothing of the addresses that it has today.
    ['http://localhost/', /an address of this machine itself/, { hosts: ['localhost'] }],
    ['http://metadata.example/', /a link-local address/, { hosts: ['metadata.example'] }],
    ['http://zoned.example/', /a link-local address/, { hosts: ['zoned.example'] }],
    ['http://nonsense.example/', /no address/, { hosts: ['nonsense.example'] }],
    ['http://empty.example/', /has no address/],
    ['http://169.254.169.254/latest/meta-data', /a link-local address/],
    ['http://169.254.169.254/', /a link-local address/, { allowsLoopback: true }],
    ['http://[fe80::1]/', /a link-local address/],
    ['http://224.0.0.1/', /a multicast address/],
    ['http://255.255.255.255/', /a broadcast address/],
    ['https://listener.example/', /allowedHosts of the VirtualMachineBMC names/, { hosts: ['other.example'] }],
    ['http://127.0.0.1:9001/', /allowedHosts/, { hosts: ['127.0.0.1:9000'] }],
    ['https://10.96.0.1/api', /the Kubernetes API/],
    ['https://kubernetes.default.svc/api', /the Kubernetes API/],
    ['https://[::ffff:10.96.0.1]/api', /the Kubernetes API/],
    ['https://10.96.0.1/api', /the Kubernetes API/, { hosts: ['10.96.0.1'] }],
    ['https://10.96.0.1/', /the Kubernetes API/, { ownApi: { host: 'kubernetes.default.svc', port: 443 } }],
    [
      'https://127.0.0.1:6443/',
      /the Kubernetes API/,
      { allowsLoopback: true, ownApi: { host: '127.0.0.1', port: 6443 } },
    ],
  ])('at %s: %s', async (url, message, change) => {
    const refusal: unknown = await admitted(url, change).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RefusedDestination);
    expect((refusal as Error).message).toMatch(message);
  });

  it('for now where the name is not known', async () => {
    await expect(admitted('http://unknown.example/')).rejects.toThrow('ENOTFOUND');
  });

  it('where the name leads elsewhere than before', async () => {
    let addresses = ['192.0.2.80'];
    const change = { resolve: () => Promise.resolve(addresses) };
    expect(await admitted('http://rebinding.example/', change)).toEqual(addresses);
    addresses = ['127.0.0.1'];
    await expect(admitted('http://rebinding.example/', change)).rejects.toThrow(RefusedDestination);
  });
});
