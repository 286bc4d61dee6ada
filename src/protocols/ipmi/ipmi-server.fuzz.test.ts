import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { encodeSessionlessPacket15 } from './ipmi15/session-header.ts';
import { BMC_ADDRESS, encodeRequest } from './message/lan-message.ts';
import { encodePresencePing } from './rmcp/asf.ts';
import { cipherSuite } from './rmcpplus/cipher-suite.ts';
import { encodeOpenSessionRequest } from './rmcpplus/open-session.ts';
import { decodePacket, encodeSessionlessPacket } from './rmcpplus/packet.ts';
import { PAYLOAD_TYPE } from './rmcpplus/payload-type.ts';
import { encodeRakp1 } from './rmcpplus/rakp1.ts';
import { encodeRakp3 } from './rmcpplus/rakp3.ts';
import { consoleSessionId } from './rmcpplus/session-id.ts';
import { DEFAULT_LIMITS } from './options.ts';
import { mutate, type Random, randomOf } from './testing/mutate.ts';
import { PEER, testBmc, type TestBmc } from './testing/test-bmc.ts';

const PACKETS_BEFORE_LOGIN = 20_000;
const PACKETS_IN_SESSION = 10_000;

function publicRequest(command: number, data: string): Buffer {
  return encodeRequest({
    responderAddress: BMC_ADDRESS,
    netFn: 0x06,
    responderLun: 0,
    requesterAddress: 0x81,
    requesterLun: 0,
    sequence: 1,
    command,
    data: Buffer.from(data, 'hex'),
  });
}

/** One packet of each kind that a client sends, with the IDs of handshakes and sessions that are there. */
async function seeds(bmc: TestBmc): Promise<Buffer[]> {
  const client = await bmc.loggedIn();
  const { managedId } = await client.open(cipherSuite(3));
  const consoleId = consoleSessionId(1);
  const username = Buffer.from('admin');
  return [
    encodePresencePing(1),
    encodeSessionlessPacket15(publicRequest(0x38, '8e04')),
    encodeSessionlessPacket(PAYLOAD_TYPE.ipmi, publicRequest(0x54, '0e0080')),
    encodeSessionlessPacket(
      PAYLOAD_TYPE.openSessionRequest,
      encodeOpenSessionRequest({ tag: 1, maxPrivilege: 0, consoleId, ...cipherSuite(17) }),
    ),
    encodeSessionlessPacket(
      PAYLOAD_TYPE.rakp1,
      encodeRakp1({ tag: 1, managedId, consoleRandom: Buffer.alloc(16), role: 0x14, username }),
    ),
    encodeSessionlessPacket(
      PAYLOAD_TYPE.rakp3,
      encodeRakp3({ tag: 1, status: 0, managedId, authCode: Buffer.alloc(20) }),
    ),
    client.seal(0x00, 0x01),
    client.seal(0x00, 0x02, Buffer.of(0)),
  ];
}

/** Bytes of the heap that are in use, garbage not counted. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // V8's own function, which the flag has made visible
  collect();
  return process.memoryUsage().heapUsed;
}

/** What a test run itself may take; 20,000 packets that each leave 1 kB behind would be over it. */
const HEAP_ALLOWANCE = 8 * 2 ** 20;

describe('thousands of packets', () => {
  it('mutated, before log-in, break nothing and log nobody in', async () => {
    const bmc = testBmc();
    const random = randomOf(1);
    const packets = await seeds(bmc);
    const sessions = bmc.server.sessionCount;
    const before = heap();
    for (let i = 0; i < PACKETS_BEFORE_LOGIN; i += 1) {
      const packet = mutate(random.pick(packets), random);
      await bmc.server.handle(packet, { ...PEER, port: random.below(65_536) }, bmc.now);
      forget(bmc);
    }
    expect(heap() - before).toBeLessThan(HEAP_ALLOWANCE);
    expect(bmc.told.failed).toEqual([]);
    expect(bmc.server.sessionCount).toBe(sessions);
    // Mutations that touch nothing but the RMCP header, which no signature covers, leave the sealed power off genuine: once.
    expect(bmc.machine.calls.length).toBeLessThanOrEqual(1);
    const client = await bmc.loggedIn();
    expect((await client.command(0x06, 0x01)).completionCode).toBe(0);
  }, 60_000);

  it('of random commands in a session break nothing, and each gets an answer', async () => {
    const bmc = testBmc();
    const random = randomOf(2);
    let client = await bmc.loggedIn();
    const before = heap();
    for (let i = 0; i < PACKETS_IN_SESSION; i += 1) {
      const { netFn, command, data } = randomCommand(random);
      const response = await client.command(netFn, command, data);
      // 0xFF would be a fault of ours.
      expect(response.completionCode).not.toBe(0xff);
      forget(bmc);
      bmc.machine.calls.length = 0;
      if (bmc.server.sessionCount === 0) client = await bmc.loggedIn();
      if (response.completionCode === 0 && command === 0x3b) await client.setPrivilege(4);
    }
    expect(bmc.told.failed).toEqual([]);
    expect(bmc.server.sessionCount).toBeLessThanOrEqual(DEFAULT_LIMITS.maxSessions);
    expect(heap() - before).toBeLessThan(HEAP_ALLOWANCE);
  }, 60_000);

  it('mutated inside their encryption break nothing', async () => {
    const bmc = testBmc();
    const random = randomOf(3);
    const client = await bmc.loggedIn();
    const messages = [publicRequest(0x01, ''), publicRequest(0x38, '8e04'), publicRequest(0x3d, '00')];
    for (let i = 0; i < PACKETS_IN_SESSION; i += 1) {
      const message = mutate(random.pick(messages), random);
      const packet = client.session.channel.seal(random.chance(0.9) ? 0 : random.below(0x40), message);
      // The client's window has to keep up with the answers.
      for (const answer of await bmc.server.handle(packet, PEER, bmc.now))
        client.session.channel.open(decodePacket(answer));
      forget(bmc);
    }
    expect(bmc.told.failed).toEqual([]);
    expect((await client.command(0x06, 0x01)).completionCode).toBe(0);
  }, 60_000);
});

/** What the test BMC writes down would grow with the packets. */
function forget({ told }: TestBmc): void {
  told.dropped.length = 0;
  told.commands.length = 0;
  told.loginFailed.length = 0;
}

function randomCommand(random: Random): { netFn: number; command: number; data: Buffer } {
  const isKnown = random.chance(0.7);
  const netFn = isKnown ? random.pick([0x00, 0x06]) : random.below(32) * 2;
  const known =
    netFn === 0x06 ? [0x01, 0x04, 0x37, 0x38, 0x3b, 0x3c, 0x3d, 0x42, 0x54] : [0x00, 0x01, 0x02, 0x08, 0x09];
  const command = isKnown ? random.pick(known) : random.below(256);
  return { netFn, command, data: random.bytes(random.below(random.chance(0.9) ? 10 : 600)) };
}
