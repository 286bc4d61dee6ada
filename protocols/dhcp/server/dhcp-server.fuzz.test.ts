import { describe, expect, it } from 'vitest';
import { mutate, type Random, randomOf } from '../../ipmi/testing/mutate.ts';
import { decodeMessage, type DhcpMessage, optionOf } from '../codec/message.ts';
import { PacketView } from '../codec/packet-view.ts';
import { OPTION } from '../options/option-code.ts';
import { formatOption } from '../options/catalogue.ts';
import { ADDRESS, asking, ip, lease, message, SERVER, settings, TestNetwork } from '../testing/test-network.ts';

/** Each run uses the same packets; FUZZ_PACKETS sets their number. */
const PACKETS = Number(process.env.FUZZ_PACKETS ?? (process.env.CI === 'true' ? 1_000_000 : 50_000));

const { clientIdentifier, maxMessageSize, relayAgent, requestedAddress, serverIdentifier, vendorClass } = OPTION;

/** One datagram of each kind of client message. */
const seeds = [
  message('discover', {
    ...asking(1, 3, 6, 7, 12, 15, 17, 26, 43, 60, 66, 67, 119, 121, 128, 175, 203),
    [vendorClass]: Buffer.from('PXEClient:Arch:00000:UNDI:002001'),
    [OPTION.clientArchitecture]: Uint8Array.of(0, 0, 0, 7),
    [OPTION.userClass]: Buffer.from('iPXE'),
    [OPTION.machineIdentifier]: new Uint8Array(17),
    [maxMessageSize]: Uint8Array.of(5, 0xdc),
  }),
  message('discover', { [OPTION.rapidCommit]: new Uint8Array(0), [clientIdentifier]: new Uint8Array(250) }),
  message('request', { [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS, ...asking(1, 3, 6) }),
  message('request', { [requestedAddress]: ip('10.77.0.1'), ...asking(1, 33, 121, 249) }),
  message('request', {}, { ciaddr: ADDRESS }),
  message(
    'request',
    { [relayAgent]: Buffer.from('0101aa05040a4d000013000b0401020304', 'hex') },
    { giaddr: SERVER + 9 },
  ),
  message('decline', { [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS }),
  message('release', { [serverIdentifier]: SERVER }, { ciaddr: ADDRESS }),
  message('inform', asking(6, 15, 119), { ciaddr: ADDRESS }),
  message('discover', { [OPTION.clientFqdn]: Buffer.from('05000005677565737403636f6d00', 'hex'), ...asking(12, 81) }),
  message('discover', { [OPTION.overload]: Uint8Array.of(3) }, { file: Buffer.from('0c0161ff', 'hex') }),
];

function network(): TestNetwork {
  const options = [
    { code: 224, value: Buffer.alloc(300, 1) },
    { code: 43, value: Buffer.from('vendor') },
  ];
  const netboot = { nextServer: ip('10.77.0.69'), bootFiles: { bios: 'a'.repeat(100), ipxe: 'b'.repeat(500) } };
  const routes = Array.from({ length: 30 }, (_, i) => ({ destination: i * 65_536, prefix: 16, gateway: SERVER }));
  const known = lease({
    settings: settings({ options, netboot, routes, domainSearch: ['example.com', 'lab.example.com'] }),
    boot: { uid: 'vmi-1', mode: 'Pxe', isConsumed: false },
  });
  return new TestNetwork([known], { perClient: Infinity });
}

describe(`${PACKETS} mutated packets`, () => {
  it('never throw, take at most one step per byte, and get valid answers', () => {
    const random = randomOf(5);
    const server = network();
    const packet = new PacketView();
    const faults: string[] = [];
    let answers = 0;
    for (let i = 0; i < PACKETS && faults.length === 0; i += 1) {
      const datagram = mutateDatagram(random.pick(seeds), random);
      const fault = packet.read(datagram);
      const isWalked = fault === undefined || fault.startsWith('option');
      if (isWalked && packet.steps > datagram.length) faults.push(`${packet.steps} steps: ${datagram.toString('hex')}`);
      const reply = server.server.handle(datagram, { address: SERVER, port: random.below(65_536) }, i);
      if (reply !== undefined) {
        answers += 1;
        const wrong = wrongWith(datagram, Buffer.from(reply.datagram));
        if (wrong !== undefined) faults.push(`${wrong}: ${datagram.toString('hex')}`);
      }
      if (i % 1_000 === 0) {
        forget(server);
        rename(server, i % 2_000 === 0 ? 'vm-1' : undefined);
      }
    }
    expect(faults).toEqual([]);
    expect(server.told.failed).toEqual([]);
    // Enough packets must be valid, or only the first check is fuzzed.
    expect(answers).toBeGreaterThan(PACKETS / 5);
    expect(server.ask('discover')?.yiaddr).toBe(ADDRESS);
  }, 600_000);

  it('have options that can be printed', () => {
    const random = randomOf(6);
    let printed = 0;
    for (let i = 0; i < PACKETS / 5; i += 1) printed += formatOption(random.below(256), random.bytes(i % 40)).length;
    expect(printed).toBeGreaterThan(0);
  });
});

/** Without a host name in the lease, the client's own name is used. */
function rename(network: TestNetwork, hostname: string | undefined): void {
  for (const known of network.leases.values()) network.has({ ...known, hostname });
}

/** The records of a test network would grow with the packets. */
function forget({ told }: TestNetwork): void {
  for (const list of [told.handled, told.seen, told.dropped, told.acknowledged, told.refused]) list.length = 0;
}

/** Checks that the answer is an OFFER, ACK or NAK to the requester, within its size limit, with options in order. */
function wrongWith(request: Buffer, datagram: Buffer): string | undefined {
  const asked = decodeMessage(request);
  const { options, op, yiaddr, xid, giaddr, macAddress } = decodeMessage(datagram);
  if (op !== 2 || xid !== asked.xid || giaddr !== asked.giaddr || macAddress !== asked.macAddress) return 'header';
  if (yiaddr !== 0 && yiaddr !== ADDRESS) return 'yiaddr';
  if (options[0]?.code !== OPTION.messageType || ![2, 5, 6].includes(options[0].value[0] ?? 0)) return 'type';
  const agent = options.findIndex(({ code }) => code === relayAgent);
  if (agent !== -1 && agent !== options.length - 1) return 'option 82';
  if (optionOf({ options }, serverIdentifier)?.length !== 4) return 'server identifier';
  return datagram.length < 300 || datagram.length > limitOf(asked) ? `length ${datagram.length}` : undefined;
}

function limitOf(asked: DhcpMessage): number {
  const size = optionOf(asked, maxMessageSize);
  // Of split options, the first piece counts.
  return size !== undefined && size.length >= 2 ? Math.max(576, Buffer.from(size).readUInt16BE()) - 28 : 548;
}

const FIRST_OPTION = 240;
/** Codes that a server reads, including those that change how it reads. */
const CODES = [0, 12, 50, 51, 52, 53, 54, 55, 57, 60, 61, 77, 80, 81, 82, 93, 97, 118, 175, 255];

/** Mutates a datagram anywhere, or inserts whole options of any length that affect how the rest is read. */
function mutateDatagram(datagram: Buffer, random: Random): Buffer {
  if (random.chance(0.4)) return mutate(datagram, random);
  let mutated = datagram;
  const rounds = 1 + random.below(4);
  for (let round = 0; round < rounds; round += 1) mutated = changeOptions(mutated, random);
  return mutated;
}

function changeOptions(datagram: Buffer, random: Random): Buffer {
  const at = Math.min(datagram.length, FIRST_OPTION + random.below(80));
  const value = random.bytes(random.below(random.chance(0.9) ? 12 : 300));
  const said = random.chance(0.9) ? value.length : random.below(256);
  const option = Buffer.concat([Buffer.of(random.pick(CODES), said & 0xff), value]);
  // At the start of the options, so that it is read, or anywhere behind it.
  const start = random.chance(0.6) ? Math.min(datagram.length, FIRST_OPTION) : at;
  const removed = random.chance(0.5) ? 0 : random.below(20);
  return Buffer.concat([datagram.subarray(0, start), option, datagram.subarray(start + removed)]);
}
