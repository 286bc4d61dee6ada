import { describe, expect, it } from 'vitest';
import { addressOf } from '../../udp/ipv4-text.ts';
import { type Host, OutgoingInterface, parseRoutes } from './outgoing-interface.ts';

const HEADER = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';
/** A pod: eth0 with the default route, net1 on the network of the virtual machines, and a route through a router there. */
const TABLE = [
  HEADER,
  'eth0\t00000000\t0100F40A\t0003\t0\t0\t0\t00000000\t0\t0\t0',
  'eth0\t0000F40A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
  'net1\t00004D0A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
  'net1\t0107A8C0\tFE004D0A\t0007\t0\t0\t0\tFFFFFFFF\t0\t0\t0',
  '',
].join('\n');
const POD: Host = {
  addresses: () => [
    { device: 'lo', cidr: '127.0.0.1/8' },
    { device: 'eth0', cidr: '10.244.0.5/24' },
    { device: 'net1', cidr: '10.77.0.1/16' },
  ],
  routeTable: () => TABLE,
  isLittleEndian: true,
};

function detour(to: string, { from = '10.77.0.1', ...host }: Partial<Host> & { from?: string } = {}) {
  return new OutgoingInterface({ ...POD, ...host }).detour(addressOf(from), addressOf(to), 0);
}

describe('a datagram from the address of net1', () => {
  it.each(['10.77.9.9', '192.168.7.1', '10.77.255.255'])('to %s leaves by net1', (to) => {
    expect(detour(to)).toBeUndefined();
  });

  it.each(['8.8.8.8', '10.244.0.1', '192.168.7.2'])('to %s would leave by eth0: the default route', (to) => {
    expect(detour(to)).toBe('the route to it leaves by eth0, not by net1, which has 10.77.0.1');
  });

  it('would leave by eth0 if that has the more specific network', () => {
    const routeTable = () => `${TABLE}eth0\t00054D0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n`;
    expect(detour('10.77.5.1', { routeTable })).toContain('eth0');
    expect(detour('10.77.6.1', { routeTable })).toBeUndefined();
  });

  it('leaves by net1 if its own routes are in another table, as with source-based routing', () => {
    expect(detour('10.77.9.9', { routeTable: () => TABLE.split('\n').slice(0, 3).join('\n') })).toBeUndefined();
  });

  it('is not sent while net1 is down', () => {
    const addresses = () => POD.addresses().slice(0, 2);
    expect(detour('10.77.9.9', { addresses })).toBe('no interface that is up has 10.77.0.1');
  });
});

it('loopback has all of its addresses, and no route', () => {
  expect(detour('127.0.0.1', { from: '127.0.0.3', routeTable: () => HEADER })).toBeUndefined();
});

it('a route that is added is used a second later', () => {
  let table = TABLE;
  const outgoing = new OutgoingInterface({ ...POD, routeTable: () => table });
  const at = (now: number) => outgoing.detour(addressOf('10.77.0.1'), addressOf('192.168.8.1'), now);
  expect(at(0)).toContain('eth0');
  table += 'net1\t0008A8C0\tFE004D0A\t0007\t0\t0\t0\t00FFFFFF\t0\t0\t0\n';
  expect(at(999)).toContain('eth0');
  expect(at(1_000)).toBeUndefined();
});

it('routes are read in the byte order of the processor', () => {
  const line = (destination: string, mask: string) =>
    `${HEADER}\nnet1\t${destination}\t0\t1\t0\t0\t0\t${mask}\t0\t0\t0\n`;
  const expected = [{ device: 'net1', subnet: addressOf('10.77.0.0'), prefix: 16 }];
  expect(parseRoutes(line('00004D0A', '0000FFFF'), true)).toEqual(expected);
  expect(parseRoutes(line('0A4D0000', 'FFFF0000'), false)).toEqual(expected);
});
