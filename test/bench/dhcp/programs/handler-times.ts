/** A program: how long a datagram takes without sockets, as JSON. */
import protocol from 'dhcp/lib/protocol.js';
import { parseIpv4 } from '../../../../api/index.ts';
import { createDhcpServer } from '../../../../protocols/dhcp/index.ts';
import { MACHINES, addressNumber, macNumber, SITE } from '../addresses.ts';
import { leasesInMemory } from './leases-in-memory.ts';
import { AT, template } from './packets.ts';

const WARM_UP = 200_000;
const COUNT = 500_000;
const origin = { address: parseIpv4(SITE.relay) ?? 0, port: 67 };
const leases = leasesInMemory();
const store = { find: (macAddress: number) => leases.get(macAddress), isFresh: true };
const server = createDhcpServer({ store, limits: { perClient: Infinity } });

/** µs of one call. */
function timeOf(handle: (index: number) => unknown): number {
  for (let index = 0; index < WARM_UP; index += 1) handle(index);
  const started = performance.now();
  for (let index = 0; index < COUNT; index += 1) handle(index);
  return ((performance.now() - started) * 1000) / COUNT;
}

function asked(datagram: Buffer, macOf: (index: number) => number): (index: number) => Uint8Array | undefined {
  return (index) => {
    datagram.writeUIntBE(macOf(index), AT.chaddr, 6);
    return server.handle(datagram, origin, performance.now())?.datagram;
  };
}

const [discover, request] = [template('discover'), template('request')];
const known = (index: number): number => macNumber(index % MACHINES);
const acknowledge = asked(request, known);
const offer = asked(discover, known);
const strange = asked(discover, (index) => 0x02ff00_000000 + index);
if (offer(0) === undefined || strange(0) !== undefined) throw new Error('it does not answer as it should');

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
    'DISCOVER of a stranger, without sockets': { groundcrew: timeOf(strange) },
  }),
);
