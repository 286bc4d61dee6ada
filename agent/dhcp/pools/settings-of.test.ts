import { describe, expect, it } from 'vitest';
import { pool } from '../testing/builders.ts';
import { settingsOf } from './settings-of.ts';

describe('the settings of a pool', () => {
  it('contain all fields of its spec', () => {
    const whole = pool({
      cidr: '10.0.0.7/24',
      serverIP: '10.0.0.2',
      serverIPs: ['10.0.0.2', '10.0.0.3'],
      router: '10.0.0.1',
      dns: ['10.0.0.53'],
      domainName: 'example.org',
      domainSearch: ['example.org'],
      leaseTime: 600,
      mtu: 9000,
      relays: ['10.2.0.1', '10.3.0.7/28'],
      routes: [{ destination: '10.1.0.0/16', gateway: '10.0.0.9' }],
      options: [{ code: 252, type: 'text', value: 'http://wpad' }],
      netboot: { nextServer: '10.0.0.5', bootFiles: { bios: 'undionly.kpxe', ipxe: '' } },
    });
    expect(settingsOf(whole, 1)).toEqual({
      problems: [],
      settings: {
        pool: 'prod',
        serverAddress: 0x0a000003,
        siblings: [0x0a000002, 0x0a000003],
        subnet: 0x0a000000,
        prefix: 24,
        relays: [
          { subnet: 0x0a020001, prefix: 32 },
          { subnet: 0x0a030000, prefix: 28 },
        ],
        router: 0x0a000001,
        dns: [0x0a000035],
        domainName: 'example.org',
        domainSearch: ['example.org'],
        ntp: [],
        leaseTime: 600,
        routes: [{ destination: 0x0a010000, prefix: 16, gateway: 0x0a000009 }],
        mtu: 9000,
        options: [{ code: 252, value: new Uint8Array(Buffer.from('http://wpad')) }],
        netboot: { nextServer: 0x0a000005, bootFiles: { bios: 'undionly.kpxe' } },
      },
    });
  });

  it('of a minimal spec contain the network and a lease time of a year', () => {
    expect(settingsOf(pool(), 0).settings).toEqual({
      pool: 'prod',
      serverAddress: 0x0a000002,
      siblings: [0x0a000002],
      subnet: 0x0a000000,
      prefix: 24,
      dns: [],
      domainSearch: [],
      ntp: [],
      leaseTime: 43_200,
      routes: [],
      options: [],
    });
  });

  it('are undefined for an agent without an address and for a pool without IPv4', () => {
    expect(settingsOf(pool(), 1)).toEqual({ problems: [] });
    const { ipv4Config: _, ...spec } = pool().spec;
    expect(settingsOf({ ...pool(), spec }, 0)).toEqual({ problems: [] });
  });

  it('contain NTP servers resolved by the manager and those given as addresses', () => {
    const resolved = {
      ...pool({ ntp: ['pool.ntp.org', '10.0.0.7'] }),
      status: { ipv4: { ntpServers: ['10.9.9.9', '10.0.0.7'] } },
    };
    expect(settingsOf(resolved, 0).settings?.ntp).toEqual([0x0a090909, 0x0a000007]);
    expect(settingsOf(pool({ ntp: ['pool.ntp.org', '10.0.0.7'] }), 0).settings?.ntp).toEqual([0x0a000007]);
  });

  it('leave out invalid parts and report them', () => {
    const broken = pool({
      router: 'gateway',
      dns: ['10.0.0.53', '10.0.0'],
      relays: ['10.0'],
      routes: [{ destination: '10.1.0.0', gateway: '10.0.0.9' }],
      options: [
        { code: 54, type: 'ip', value: '10.6.6.6' },
        { code: 51, type: 'uint32', value: '60' },
        { code: 43, type: 'hex', value: 'what' },
        { code: 19, type: 'boolean', value: 'true' },
      ],
    });
    const { settings, problems } = settingsOf(broken, 0);
    expect(settings).toMatchObject({ dns: [0x0a000035], routes: [], options: [{ code: 19 }] });
    expect(settings).not.toHaveProperty('router');
    expect(problems).toEqual([
      'spec.ipv4Config.relays: "10.0" is neither an IPv4 address nor a network',
      'spec.ipv4Config.router: "gateway" is not an IPv4 address',
      'spec.ipv4Config.dns: "10.0.0" is not an IPv4 address',
      'spec.ipv4Config.routes: "10.1.0.0" is not an IPv4 network, such as 10.0.0.0/24',
      'spec.ipv4Config.options[code=54]: "10.6.6.6" is not sent: the DHCP protocol uses the option itself (server identifier)',
      'spec.ipv4Config.options[code=51]: "60" is not sent: the DHCP protocol uses the option itself (lease time: set leaseTime)',
      'spec.ipv4Config.options[code=43]: "what" is not a valid hex value',
    ]);
  });

  it.each([[{ cidr: '10.0.0.0' }], [{ serverIP: '10.0.0' }]])('are undefined with %o', (config) => {
    const { settings, problems } = settingsOf(pool(config), 0);
    expect(settings).toBeUndefined();
    expect(problems[0]).toMatch(/is not an IPv4/);
  });
});
