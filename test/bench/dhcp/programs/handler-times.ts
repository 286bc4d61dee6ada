/** A program that prints the time for one datagram without sockets in µs, as JSON. */
import protocol from 'dhcp/lib/protocol.js';
import { parseIpv4 } from '../../../../api/index.ts';
import { DhcpServer, type Lease } from '../../../../protocols/dhcp/index.ts';
import { MACHINES, addressNumber, macNumber, SITE } from '../addresses.ts';
import { AT, template } from './packets.ts';

const WARM_UP = 200_000;
const COUNT = 500_000;
const origin = { address: parseIpv4(SITE.relay) ?? 0, port: 67 };
const leases = leasesInMemory();
const store = { find: (macAddress: number) => leases.get(macAddress), isFresh: true };
const server = new DhcpServer({ store, limits: { perClient: Infinity } });

/** Time of one call in µs. */
function timeOf(handle: (index: number) => unknown): number {
  for (let index = 0; index < WARM_UP; index += 1) handle(index);
  const started = performance.now();
  for (let index = 0; index < COUNT; index += 1) handle(index);
  return ((performance.now() - started) * 1000) / COUNT;
}

function handlerOf(datagram: Buffer, macOf: (index: number) => number): (index: number) => Uint8Array | undefined {
  return (index) => {
    datagram.writeUIntBE(macOf(index), AT.chaddr, 6);
    return server.handle(datagram, origin, performance.now())?.datagram;
  };
}

const [discover, request] = [template('discover'), template('request')];
const known = (index: number): number => macNumber(index % MACHINES);
const acknowledge = handlerOf(request, known);
const offer = handlerOf(discover, known);
const unknown = handlerOf(discover, (index) => 0x02ff00_000000 + index);
if (offer(0) === undefined || unknown(0) !== undefined) throw new Error('the server does not answer as expected');

const parsed = protocol.parse(discover);
console.log(
  JSON.stringify({
    'DISCOVER to OFFER, without sockets': {
      groundcrew: timeOf(offer),
      'npm dhcp': timeOf(() => {
        protocol.parse(discover);
        return protocol.format({ ...parsed, op: 2, yiaddr: SITE.relay });
      }),
    },
    'REQUEST to ACK, without sockets': {
      groundcrew: timeOf((index) => {
        request.writeUInt32BE(addressNumber(index % MACHINES), AT.requestedAddress);
        return acknowledge(index);
      }),
    },
    'DISCOVER of an unknown client, without sockets': { groundcrew: timeOf(unknown) },
  }),
);

/** The lease of each machine by its MAC address. */
function leasesInMemory(): Map<number, Lease> {
  const number = (text: string): number => parseIpv4(text) ?? 0;
  const settings = {
    pool: 'bench',
    serverAddress: number(SITE.server),
    siblings: [number(SITE.server)],
    subnet: SITE.subnet,
    prefix: SITE.prefix,
    router: number(SITE.router),
    dns: [number(SITE.dns)],
    domainName: SITE.domain,
    domainSearch: [],
    ntp: [],
    leaseTime: SITE.leaseTime,
    routes: [],
    mtu: SITE.mtu,
    options: [],
  };
  return new Map(
    Array.from({ length: MACHINES }, (_, index) => {
      const macAddress = macNumber(index);
      return [macAddress, { macAddress, ipAddress: addressNumber(index), settings, hostname: `vm-${index}` }];
    }),
  );
}
