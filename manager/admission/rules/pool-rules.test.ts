import { describe, expect, it } from 'vitest';
import { parseIpv4Cidr, type IPPoolSpec } from '../../../api/index.ts';
import { aLease, aPool, poolInputs } from '../testing/builders.ts';
import { evaluate, messageOf } from './verdict.ts';
import { POOL_RULES } from './pool-rules.ts';
import type { PoolInputs } from './pool-inputs.ts';
import { inUse } from './pool-conflicts.ts';

type Config = Partial<NonNullable<IPPoolSpec['ipv4Config']>>;

const say = (config: Config, inputs: Partial<PoolInputs> = {}, old?: Config) => {
  const { errors, warnings } = evaluate(
    POOL_RULES,
    aPool(config),
    old === undefined ? undefined : aPool(old),
    poolInputs(inputs),
  );
  return { errors: errors.map(messageOf), warnings };
};
const RANGE = { start: '10.9.0.10', end: '10.9.0.99' };

describe('an IPPool', () => {
  it.each<[string, Config]>([
    ['as most are', {}],
    ['whose router and server are in the range', { router: '10.9.0.10', serverIP: '10.9.0.11' }],
    ['with several servers', { serverIPs: ['10.9.0.2', '10.9.0.3'] }],
    [
      'of the smallest network',
      {
        cidr: '10.9.0.0/30',
        router: '10.9.0.1',
        pool: { start: '10.9.0.1', end: '10.9.0.2', exclude: [] },
        serverIP: '10.9.0.2',
        dns: [],
      },
    ],
    ['with a domain and its dot', { domainName: 'lab.example.', domainSearch: ['_tcp.lab.example', 'a'] }],
    ['with NTP servers by name and address', { ntp: ['pool.ntp.org', '10.9.0.3'] }],
    [
      'with routes',
      {
        routes: [
          { destination: '0.0.0.0/0', gateway: '10.9.0.1' },
          { destination: '10.1.0.0/16', gateway: '0.0.0.0' },
        ],
      },
    ],
    [
      'with options of every type',
      {
        options: [
          { code: 43, type: 'hex', value: '01:02 0a' },
          { code: 66, type: 'text', value: 'tftp.lab' },
          { code: 150, type: 'ips', value: '10.9.0.3, 10.9.0.4' },
          { code: 28, type: 'ip', value: '10.9.0.255' },
          { code: 23, type: 'uint8', value: '64' },
          { code: 26, type: 'uint16', value: '9000' },
          { code: 35, type: 'uint32', value: '4294967295' },
          { code: 19, type: 'boolean', value: 'false' },
        ],
      },
    ],
    [
      'with reservations',
      {
        reservations: [
          { macAddress: '02-00-00-00-00-01', ipAddress: '10.9.0.5' },
          { vmName: 'web', ipAddress: '10.9.0.20' },
        ],
      },
    ],
    [
      'that boots from the network',
      {
        netboot: {
          nextServer: '10.9.0.3',
          bootFiles: { bios: 'undionly.kpxe', ipxe: 'http://boot/x', 'http-x64': 'http://boot/x.efi' },
        },
      },
    ],
  ])('accepts %s', (_what, config) => {
    const { errors } = say(config);
    expect(errors).toEqual([]);
  });

  it.each<[Config, string]>([
    [
      { pool: { start: '10.9.1.10', end: '10.9.1.20' } },
      'pool.start: Invalid value: "10.9.1.10": is not in 10.9.0.0/24',
    ],
    [
      { pool: { start: '10.9.0.20', end: '10.9.0.10' } },
      'pool.end: Invalid value: "10.9.0.10": is before pool.start 10.9.0.20',
    ],
    [
      { pool: { ...RANGE, start: '10.9.0.0' } },
      'pool.start: Invalid value: "10.9.0.0": is the network address of 10.9.0.0/24',
    ],
    [
      { pool: { ...RANGE, end: '10.9.0.255' } },
      'pool.end: Invalid value: "10.9.0.255": is the broadcast address of 10.9.0.0/24',
    ],
    [
      { pool: { ...RANGE, exclude: ['10.9.0.5-'] } },
      'pool.exclude[0]: Invalid value: "10.9.0.5-": is not an address, a range',
    ],
    [{ serverIP: '10.9.1.2' }, 'serverIP: Invalid value: "10.9.1.2": is not in 10.9.0.0/24'],
    [{ serverIP: '10.9.0.255' }, 'serverIP: Invalid value: "10.9.0.255": is the broadcast address'],
    [
      { serverIP: '10.9.0.1' },
      'serverIP: Invalid value: "10.9.0.1": is the router: a server needs an address of its own',
    ],
    [{ serverIPs: ['10.9.0.2', '10.9.0.0'] }, 'serverIPs[1]: Invalid value: "10.9.0.0": is the network address'],
    [{ router: '10.8.0.1' }, 'router: Invalid value: "10.8.0.1": is not in 10.9.0.0/24'],
    [{ router: '10.9.0.0' }, 'router: Invalid value: "10.9.0.0": is the network address of 10.9.0.0/24'],
    [
      { cidr: '10.9.0.7/24' },
      'cidr: Invalid value: "10.9.0.7/24": is an address in 10.9.0.0/24, not the network: write 10.9.0.0/24',
    ],
    [{ cidr: '10.9.0.0/31' }, 'cidr: Invalid value: "10.9.0.0/31": is too small'],
    [{ cidr: '0.0.0.0/0' }, 'cidr: Invalid value: "0.0.0.0/0": is too large'],
    [{ cidr: '127.0.0.0/24' }, 'cidr: Invalid value: "127.0.0.0/24": has loopback addresses'],
    [{ cidr: '224.0.0.0/24' }, 'cidr: Invalid value: "224.0.0.0/24": has multicast and reserved addresses'],
    [{ dns: ['0.0.0.0'] }, 'dns[0]: Invalid value: "0.0.0.0": is not a host\'s IPv4 address'],
    [{ dns: ['1.1.1.1', '1.1.1'] }, 'dns[1]: Invalid value: "1.1.1"'],
    [{ ntp: ['300.1.1.1'] }, 'ntp[0]: Invalid value: "300.1.1.1": is neither'],
    [{ ntp: ['time server'] }, 'ntp[0]: Invalid value: "time server": is neither'],
    [{ domainName: 'lab..example' }, 'domainName: Invalid value: "lab..example": is not a domain name'],
    [{ domainSearch: ['ok', '-x'] }, 'domainSearch[1]: Invalid value: "-x": is not a domain name'],
    [
      { routes: [{ destination: '10.1.0.0', gateway: '10.9.0.1' }] },
      'routes[0].destination: Invalid value: "10.1.0.0": is not an IPv4 network',
    ],
    [
      {
        routes: [
          { destination: '10.1.0.0/16', gateway: '10.9.0.1' },
          { destination: '10.1.5.0/16', gateway: '10.9.0.1' },
        ],
      },
      'routes[1].destination: Duplicate value: "10.1.5.0/16": is that of routes[0]',
    ],
    [
      { routes: [{ destination: '10.1.0.0/16', gateway: 'x' }] },
      'routes[0].gateway: Invalid value: "x": is not an IPv4 address',
    ],
    [
      { routes: [{ destination: '10.1.5.0/16', gateway: '10.9.0.1' }] },
      'routes[0].destination: Invalid value: "10.1.5.0/16": is an address in 10.1.0.0/16, not the network',
    ],
    [
      { options: [{ code: 3, type: 'text', value: '10.9.0.1' }] },
      'options[0].type: Invalid value: "text": is not a list of IPv4 addresses, which option 3 needs: use type ips',
    ],
    [
      { options: [{ code: 53, type: 'uint8', value: '5' }] },
      "options[0].code: Forbidden: 53 is the protocol's own (message type)",
    ],
    [
      { options: [{ code: 80, type: 'hex', value: '00' }] },
      "options[0].code: Forbidden: 80 is the protocol's own (rapid commit)",
    ],
    [
      { options: [{ code: 43, type: 'hex', value: '012' }] },
      'options[0].value: Invalid value: "012": is not in hexadecimal',
    ],
    [
      { options: [{ code: 26, type: 'uint16', value: '65536' }] },
      'options[0].value: Invalid value: "65536": is not a number of 16 bits',
    ],
    [
      { options: [{ code: 19, type: 'boolean', value: 'yes' }] },
      'options[0].value: Invalid value: "yes": is neither true nor false',
    ],
    [
      { options: [{ code: 150, type: 'ips', value: '10.9.0.3,x' }] },
      'options[0].value: Invalid value: "10.9.0.3,x": is not a list',
    ],
    [{ options: [{ code: 66, type: 'text', value: '' }] }, 'options[0].value: Invalid value: "": is empty'],
    [
      { reservations: [{ vmName: 'a', ipAddress: '10.8.0.5' }] },
      'reservations[0].ipAddress: Invalid value: "10.8.0.5": is not in 10.9.0.0/24',
    ],
    [
      { reservations: [{ vmName: 'a', ipAddress: '10.9.0.1' }] },
      'reservations[0].ipAddress: Invalid value: "10.9.0.1": is the router',
    ],
    [
      { reservations: [{ vmName: 'a', ipAddress: '10.9.0.2' }] },
      'reservations[0].ipAddress: Invalid value: "10.9.0.2": is a DHCP server\'s address',
    ],
    [
      { reservations: [{ vmName: 'a', ipAddress: '10.9.0.255' }] },
      'reservations[0].ipAddress: Invalid value: "10.9.0.255": is the broadcast address',
    ],
    [
      { reservations: [{ macAddress: '01:00:5e:00:00:01', ipAddress: '10.9.0.5' }] },
      'reservations[0].macAddress: Invalid value: "01:00:5e:00:00:01": is a multicast address',
    ],
    [
      {
        reservations: [
          { vmName: 'a', ipAddress: '10.9.0.5' },
          { vmName: 'b', ipAddress: '10.9.0.5' },
        ],
      },
      'reservations[1].ipAddress: Duplicate value: "10.9.0.5": is that of reservations[0]',
    ],
    [
      {
        reservations: [
          { macAddress: '02:00:00:00:00:0A', ipAddress: '10.9.0.5' },
          { macAddress: '02-00-00-00-00-0a', ipAddress: '10.9.0.6' },
        ],
      },
      'reservations[1].macAddress: Duplicate value: "02-00-00-00-00-0a"',
    ],
    [
      {
        reservations: [
          { vmName: 'a', ipAddress: '10.9.0.5' },
          { vmName: 'default/a', ipAddress: '10.9.0.6' },
        ],
      },
      'reservations[1].vmName: Duplicate value: "default/a": is that of reservations[0]',
    ],
    [{ relays: ['10.8.0.7/28'] }, 'relays[0]: Invalid value: "10.8.0.7/28": is an address in 10.8.0.0/28, not'],
    ...['0.0.0.0/0', '10.0.0.0/15', '255.255.255.255', '10.8'].map((relay): [Config, string] => [
      { relays: ['10.8.0.7', relay] },
      `relays[1]: Invalid value: "${relay}": is neither a host's IPv4 address nor a network such as 10.1.0.0/28`,
    ]),
  ])('rejects %j', (config, message) => {
    expect(say(config).errors).toContainEqual(expect.stringContaining(`spec.ipv4Config.${message}`));
  });

  it.each<[Config, string]>([
    [
      { pool: { start: '10.9.0.1', end: '10.9.0.3', exclude: ['10.9.0.3'] } },
      'pool: nothing is left to lease from 10.9.0.1 to 10.9.0.3',
    ],
    [
      { pool: { ...RANGE, exclude: ['10.9.0.200'] } },
      'pool.exclude[0]: 10.9.0.200 is outside the range and excludes nothing',
    ],
    [
      { pool: { ...RANGE, exclude: ['10.9.0.20'] }, reservations: [{ vmName: 'a', ipAddress: '10.9.0.20' }] },
      'reservations[0].ipAddress: 10.9.0.20 is excluded',
    ],
    [
      { routes: [{ destination: '10.1.0.0/16', gateway: '10.8.0.1' }] },
      'routes[0].gateway: 10.8.0.1 is not in 10.9.0.0/24',
    ],
    [{ relays: ['10.9.0.77'] }, 'relays[0]: 10.9.0.77 is in cidr, so it is answered anyway'],
    [
      { netboot: { bootFiles: { bios: 'undionly.kpxe', ipxe: 'http://boot/x' } } },
      'netboot.nextServer: is needed for bootFiles.bios',
    ],
    [{ netboot: { nextServer: '10.9.0.3' } }, 'netboot.bootFiles: is empty'],
    [
      { leaseTime: 31_536_000 },
      'leaseTime: 31536000: no other VM gets the address of a deleted VM for 365 days; the default is 43200, 12 hours',
    ],
    [
      { netboot: { bootFiles: { 'http-x64': 'x.efi' } } },
      'netboot.bootFiles.http-x64: "x.efi" is not an http or https URL',
    ],
    [
      { netboot: { bootFiles: { 'http-arm64': 'x.efi' } } },
      'netboot.bootFiles.http-arm64: "x.efi" is not an http or https URL',
    ],
  ])('warns about %j', (config, message) => {
    const { errors, warnings } = say(config);
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(`spec.ipv4Config.${message}`)]);
  });

  it('warns about the cluster’s own ranges and about a missing network', () => {
    const clusterRanges = ['10.9.0.1/32', '10.0.0.0/8', '10.8.0.0/24'].flatMap((text) => {
      const range = parseIpv4Cidr(text);
      return range === undefined ? [] : [{ ...range, text }];
    });
    expect(say({}, { clusterRanges }).warnings).toEqual([
      'spec.ipv4Config.cidr: 10.9.0.0/24 overlaps 10.0.0.0/8, which the cluster uses itself',
    ]);
    expect(say({ router: '10.9.0.1', relays: ['10.8.0.7'] }, { clusterRanges }).warnings).toContain(
      'spec.ipv4Config.relays[0]: 10.8.0.7 overlaps 10.0.0.0/8, which the cluster uses itself',
    );
    expect(say({}, { networkExists: false }).warnings).toEqual([expect.stringContaining('the pool waits for it')]);
    expect(say({}, { networkExists: undefined }).warnings).toEqual([
      expect.stringContaining('Multus is not installed'),
    ]);
  });

  it.each([undefined, -1, 0, 604_800])('does not warn about a lease time of %s', (leaseTime) => {
    expect(say(leaseTime === undefined ? {} : { leaseTime }).warnings).toEqual([]);
  });

  it('warns about a network with IPAM of its own, where KubeVirt answers DHCP', () => {
    expect(say({}, { podIpam: 'host-local' })).toEqual({
      errors: [],
      warnings: [
        expect.stringMatching(/^spec.networkName: NetworkAttachmentDefinition default\/lan has IPAM .+host-local/),
      ],
    });
  });

  it('rejects an invalid network name', () => {
    const pool = aPool();
    const named = { ...pool, spec: { ...pool.spec, networkName: 'a/b/c' } };
    expect(evaluate(POOL_RULES, named, undefined, poolInputs()).errors.map(messageOf)).toEqual([
      'spec.networkName: Invalid value: "a/b/c": is neither the name of a net-attach-def nor namespace/name',
    ]);
  });

  it('rejects a network of another namespace that does not allow it, and names the annotation', () => {
    expect(say({}, { isAllowed: false }).errors).toEqual([
      'spec.networkName: Invalid value: "lan": belongs to another namespace, which has to allow pools of default by the annotation network.harvesterhci.io/allowed-pool-namespaces on the NetworkAttachmentDefinition',
    ]);
    expect(say({}, { isAllowed: false, networkExists: false }).errors).toEqual([]);
  });

  it('warns about a relay agent without a router to it', () => {
    const pool = aPool({ relays: ['10.8.0.7'] });
    delete pool.spec.ipv4Config?.router;
    expect(evaluate(POOL_RULES, pool, undefined, poolInputs()).warnings).toEqual([
      'spec.ipv4Config.relays[0]: 10.8.0.7 gets no answer: agents reach it through router, which is not set',
    ]);
  });

  it('accepts a pool without an IPv4 configuration', () => {
    const pool = aPool();
    expect(evaluate(POOL_RULES, { ...pool, spec: { networkName: 'lan' } }, undefined, poolInputs())).toEqual({
      errors: [],
      warnings: [],
    });
  });
});

it('warns about a conflict with a pool on another net-attach-def of the same bridge and VLAN', () => {
  const other = aPool({}, { name: 'other', uid: 'pool-0', creationTimestamp: '2026-01-01T00:00:00Z' });
  expect(say({ serverIP: '10.9.0.3' }, { onSameWire: [other] })).toEqual({
    errors: [],
    warnings: [
      expect.stringMatching(/^spec.ipv4Config.pool: .* overlaps IPPool default\/other .* same bridge and VLAN/),
    ],
  });
});

describe('the pools of one network', () => {
  const first = aPool({}, { name: 'first', uid: 'pool-0', creationTimestamp: '2026-01-01T00:00:00Z' });

  it.each<[string, Config, string]>([
    [
      'have no address in common',
      { pool: { start: '10.9.0.90', end: '10.9.0.120' }, serverIP: '10.9.0.3' },
      'pool: Invalid value: "10.9.0.90-10.9.0.120": overlaps IPPool default/first (10.9.0.10-10.9.0.99)',
    ],
    [
      'have no server where another leases',
      { pool: { start: '10.9.0.100', end: '10.9.0.120' }, serverIP: '10.9.0.50' },
      'serverIP: Invalid value: "10.9.0.50": may be leased (exclude it there) by IPPool default/first',
    ],
    [
      'have no server that is the router of another',
      { pool: { start: '10.9.0.100', end: '10.9.0.120' }, serverIP: '10.9.0.1', router: '10.9.0.3' },
      'serverIP: Invalid value: "10.9.0.1": is the router of IPPool default/first',
    ],
  ])('%s', (_what, config, message) => {
    expect(say(config, { others: [first] }).errors).toEqual([expect.stringContaining(`spec.ipv4Config.${message}`)]);
  });

  it('may share a subnet and a server address', () => {
    expect(say({ pool: { start: '10.9.0.100', end: '10.9.0.120' } }, { others: [first] }).errors).toEqual([]);
  });
});

describe('a change of an IPPool', () => {
  it('may widen the range but not narrow it', () => {
    expect(say({ pool: { start: '10.9.0.5', end: '10.9.0.120' } }, {}, {}).errors).toEqual([]);
    expect(say({ pool: { start: '10.9.0.11', end: '10.9.0.98' } }, {}, {}).errors).toEqual([
      expect.stringContaining('pool.start: Invalid value: "10.9.0.11": is after 10.9.0.10'),
      expect.stringContaining('pool.end: Invalid value: "10.9.0.98": is before 10.9.0.99'),
    ]);
  });

  it('may not set a server address that is leased', () => {
    expect(say({ serverIPs: ['10.9.0.2', '10.9.0.20'] }, { leases: [aLease('10.9.0.20')] }, {}).errors).toEqual([
      'spec.ipv4Config.serverIPs[1]: Invalid value: "10.9.0.20": is leased to VirtualMachine default/web, 02:00:00:00:00:0a',
    ]);
  });

  it('may not set a router address that is leased', () => {
    expect(say({ router: '10.9.0.20' }, { leases: [aLease('10.9.0.20')] }, {}).errors).toEqual([
      'spec.ipv4Config.router: Invalid value: "10.9.0.20": is leased to VirtualMachine default/web, 02:00:00:00:00:0a',
    ]);
  });

  it('may take back an exclusion', () => {
    const old = { pool: { ...RANGE, exclude: ['10.9.0.20', '10.9.0.21'] } };
    const leases = [aLease('10.9.0.20')];
    const taken = { pool: { ...RANGE, exclude: ['10.9.0.21'] } };
    expect(say(taken, { leases }, old)).toEqual({ errors: [], warnings: [] });
  });

  it('warns about excluded leases by name', () => {
    const leases = ['10.9.0.20', '10.9.0.21', '10.9.0.22', '10.9.0.23', '10.9.0.50'].map((address) => aLease(address));
    const { errors, warnings } = say({ pool: { ...RANGE, exclude: ['10.9.0.20-10.9.0.30'] } }, { leases }, {});
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/10\.9\.0\.20 \(VirtualMachine default\/web.+ and 1 more$/)]);
  });
});

describe('the deletion of an IPPool', () => {
  it('is rejected with the names of the VMs that use it', () => {
    expect(inUse(aPool(), [], false)).toEqual({});
    const leases = Array.from({ length: 12 }, (_, i) => aLease(`10.9.0.${20 + i}`));
    const [error] = inUse(aPool(), leases, false).errors ?? [];
    expect(error?.detail).toMatch(/VirtualMachineNetworkConfig default\/web \(10\.9\.0\.20\).+ and others; delete/);
  });
});
