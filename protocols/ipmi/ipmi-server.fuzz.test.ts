import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { MemoryAccounts } from '../testing/index.ts';
import type { Command } from './commands/command.ts';
import { COMMANDS } from './commands/command-list.ts';
import { encodeAuthenticatedPacket } from './ipmi15/authenticated-packet.ts';
import { encodeSessionlessPacket15 } from './ipmi15/session-header.ts';
import { encodeRequest } from './message/lan-message.ts';
import { DEFAULT_LIMITS, DEFAULT_LOCKOUT } from './options.ts';
import { encodePresencePing } from './rmcp.ts';
import { cipherSuite } from './rmcpplus/cipher-suite.ts';
import { encodeOpenSessionRequest } from './rmcpplus/open-session.ts';
import { encodeSessionlessPacket, PAYLOAD_TYPE } from './rmcpplus/packet.ts';
import { encodeRakp1, encodeRakp3 } from './rmcpplus/rakp.ts';
import { consoleSessionId } from './rmcpplus/session-id.ts';
import { aRequest } from './testing/a-request.ts';
import { Client15 } from './testing/client15.ts';
import { faultOfAnswer, faultOfResponse } from './testing/fault-of-answer.ts';
import { mutate, type Random, randomOf } from './testing/mutate.ts';
import type { RmcpPlusClient } from './testing/rmcp-plus-client.ts';
import { CREDENTIALS, PEER, testBmc, type TestBmc } from './testing/test-bmc.ts';
import { directTransport } from './testing/transport.ts';

/** Total number; each run uses the same packets. FUZZ_PACKETS sets it. */
const PACKETS = Number(process.env.FUZZ_PACKETS ?? (process.env.CI === 'true' ? 1_000_000 : 50_000));
const BEFORE_LOGIN = PACKETS * 0.45;
const COMMANDS_IN_SESSION = PACKETS * 0.2;
const WITHIN_ENCRYPTION = PACKETS * 0.2;
const IPMI_15 = PACKETS * 0.15;
const HALF_OPEN = process.env.CI === 'true' ? 100_000 : 10_000;
/** ms */
const TIMEOUT = 600_000;
/** Number of packets after which the records of the test BMC and the changes of clients are reset. */
const STRETCH = 1_000;
/** Heap growth of the test run itself; a leak of 1 kB per packet exceeds it after 10,000 packets. */
const HEAP_ALLOWANCE = 10 * 2 ** 20;

function request(netFn: number, command: number, data: Buffer): Buffer {
  return encodeRequest(aRequest({ netFn, command, data }));
}

function publicRequest(command: number, data: string): Buffer {
  return request(0x06, command, Buffer.from(data, 'hex'));
}

/** One packet of each kind of client message, with the IDs of existing handshakes and sessions. */
async function seeds(bmc: TestBmc): Promise<Buffer[]> {
  const client = await bmc.loggedIn();
  const { managedId } = await client.open(cipherSuite(3));
  const begun = await client.open(cipherSuite(17));
  const consoleId = consoleSessionId(1);
  const username = Buffer.from(CREDENTIALS.username);
  const rakp1 = { tag: 1, consoleRandom: Buffer.alloc(16), role: 0x14, username };
  await client.sessionless(PAYLOAD_TYPE.rakp1, encodeRakp1({ ...rakp1, managedId: begun.managedId }));
  const inSession15 = { sessionId: managedId, sequence: 1, payload: publicRequest(0x3a, '0204'.padEnd(44, '0')) };
  return [
    encodePresencePing(1),
    encodeSessionlessPacket15(publicRequest(0x38, '8e04')),
    encodeSessionlessPacket15(publicRequest(0x39, `02${'61646d696e'.padEnd(32, '0')}`)),
    encodeAuthenticatedPacket(Buffer.from(CREDENTIALS.password), inSession15),
    encodeSessionlessPacket(PAYLOAD_TYPE.ipmi, publicRequest(0x54, '0e0080')),
    encodeSessionlessPacket(PAYLOAD_TYPE.ipmi, publicRequest(0x37, '')),
    encodeSessionlessPacket(
      PAYLOAD_TYPE.openSessionRequest,
      encodeOpenSessionRequest({ tag: 1, maxPrivilege: 0, consoleId, ...cipherSuite(17) }),
    ),
    encodeSessionlessPacket(PAYLOAD_TYPE.rakp1, encodeRakp1({ ...rakp1, managedId })),
    encodeSessionlessPacket(
      PAYLOAD_TYPE.rakp3,
      encodeRakp3({ tag: 1, status: 0, managedId: begun.managedId, authCode: Buffer.alloc(32) }),
    ),
    client.seal(0x00, 0x01),
    client.seal(0x00, 0x02, Buffer.of(0)),
    client.session.channel.seal(PAYLOAD_TYPE.sol, Buffer.from('0100000061', 'hex')),
  ];
}

/** Used heap in bytes after garbage collection. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // exposed by the V8 flag
  collect();
  return process.memoryUsage().heapUsed;
}

/** Runs a check many times and returns the first fault; fails if the heap has grown. */
async function firstFault(
  packets: number,
  one: (index: number) => Promise<string | undefined>,
): Promise<string | undefined> {
  let before = 0;
  for (let i = 0; i < packets; i += 1) {
    if (i === STRETCH) before = heap();
    const fault = await one(i);
    if (fault !== undefined) return `packet ${i}: ${fault}`;
  }
  const grown = heap() - before;
  return grown > HEAP_ALLOWANCE ? `the heap has grown by ${grown} bytes` : undefined;
}

describe(`${PACKETS} packets`, () => {
  it(
    'mutated before log-in cause no fault, get valid answers or none, and never log in',
    async () => {
      const bmc = testBmc({ ipmi15: true, lockout: { threshold: 0, seconds: 0 } });
      const random = randomOf(1);
      let packets = await seeds(bmc);
      let answered = 0;
      const fault = await firstFault(BEFORE_LOGIN, async (index) => {
        if (index % STRETCH === 0) {
          forget(bmc);
          // The packets arrive between the steps of handshakes and beside another client's session.
          bmc.advance(10_000);
          bmc.server.invalidateSessions();
          packets = await seeds(bmc);
          bmc.told.loginSucceeded.length = 0;
        }
        const packet = mutate(random.pick(packets), random);
        const answers = await bmc.server.handle(packet, { ...PEER, port: random.below(65_536) }, bmc.now);
        answered += answers.length;
        // Mutations of only the RMCP header, which is not signed, leave a sealed packet genuine.
        return packets.slice(-3).some((sealed) => sealed.subarray(4).equals(packet.subarray(4)))
          ? undefined
          : faultOf(packet, answers);
      });
      expect(fault).toBeUndefined();
      expect(bmc.told.failed).toEqual([]);
      expect(bmc.told.loginSucceeded).toEqual([]);
      // Enough packets must be valid, or only the first check is fuzzed.
      expect(answered / BEFORE_LOGIN).toBeGreaterThan(0.05);
      expect((await (await bmc.loggedIn()).command(0x06, 0x01)).completionCode).toBe(0);
    },
    TIMEOUT,
  );

  it(
    'with random commands in a session cause no fault, and each gets a valid answer',
    async () => {
      const bmc = testBmc();
      const random = randomOf(2);
      let client = await bmc.loggedIn();
      const fault = await firstFault(COMMANDS_IN_SESSION, async (index) => {
        if (index % STRETCH === 0 || bmc.server.sessionCount === 0) client = await anew(bmc);
        const { netFn, command, data } = randomCommand(random);
        const [answer, ...more] = await bmc.server.handle(client.seal(netFn, command, data), PEER, bmc.now);
        const name = `${netFn}/${command} ${data.toString('hex')}`;
        if (answer === undefined || more.length > 0)
          return `${name}: ${answer === undefined ? 'no' : 'several'} answers`;
        const found = faultOfResponse(client.session.channel.open(answer));
        if (command === 0x3b) await client.setPrivilege(4);
        return found === undefined ? undefined : `${name}: ${found}`;
      });
      expect(fault).toBeUndefined();
      expect(bmc.told.failed).toEqual([]);
      expect(bmc.server.sessionCount).toBeLessThanOrEqual(DEFAULT_LIMITS.maxSessions);
    },
    TIMEOUT,
  );

  it(
    'mutated inside their encryption, including serial over LAN, cause no fault',
    async () => {
      const bmc = testBmc();
      const random = randomOf(3);
      const sol = ['0100000061626364', '0001040000', '0201400061', '0000001061', '0f0f2000ff'].map((hex) =>
        Buffer.from(hex, 'hex'),
      );
      const messages = [publicRequest(0x01, ''), publicRequest(0x38, '8e04'), publicRequest(0x48, '0101c0000000')];
      let client = await bmc.loggedIn();
      const fault = await firstFault(WITHIN_ENCRYPTION, async (index) => {
        if (index % STRETCH === 0 || bmc.server.sessionCount === 0) {
          client = await anew(bmc);
          await client.command(0x06, 0x48, Buffer.from('0101c0000000', 'hex'));
        }
        const isSol = random.chance(0.5);
        const payload = mutate(random.pick(isSol ? sol : messages), random);
        const type = random.chance(0.05) ? random.below(0x40) : isSol ? PAYLOAD_TYPE.sol : PAYLOAD_TYPE.ipmi;
        if (random.chance(0.1)) bmc.machine.console.say('x'.repeat(random.below(600)));
        if (random.chance(0.1)) bmc.advance(random.below(400));
        const answers = await bmc.server.handle(client.session.channel.seal(type, payload), PEER, bmc.now);
        // The client's sequence window must follow the answers.
        for (const datagram of [...bmc.sent.splice(0).map((sent) => sent.datagram), ...answers]) {
          client.session.channel.open(datagram);
        }
        return type !== PAYLOAD_TYPE.sol && answers.length > 1
          ? `several answers to ${payload.toString('hex')}`
          : undefined;
      });
      expect(fault).toBeUndefined();
      expect(bmc.told.failed).toEqual([]);
    },
    TIMEOUT,
  );

  it(
    'in IPMI 1.5 sessions, mutated before and after signing, cause no fault',
    async () => {
      const bmc = testBmc({ ipmi15: true });
      const random = randomOf(4);
      let client = await loggedIn15(bmc);
      const fault = await firstFault(IPMI_15, async (index) => {
        // Stays within the sequence window: a dropped packet may or may not use up its number.
        if (index % 10 === 0 || bmc.server.sessionCount === 0) {
          if (index % STRETCH === 0) await anew(bmc);
          bmc.server.invalidateSessions();
          client = await loggedIn15(bmc);
        }
        const { netFn, command, data } = randomCommand(random);
        const message = request(netFn, command, data.subarray(0, 200));
        const packet = random.chance(0.5)
          ? signed15(client, mutate(message, random).subarray(0, 255))
          : mutate(signed15(client, message), random);
        const answers = await bmc.server.handle(packet, PEER, bmc.now);
        return answers.length > 1 ? `${answers.length} answers to ${packet.toString('hex')}` : undefined;
      });
      expect(fault).toBeUndefined();
      expect(bmc.told.failed).toEqual([]);
    },
    TIMEOUT,
  );
});

describe(`${HALF_OPEN} abandoned handshakes`, () => {
  it(
    'leave nothing behind, from any source and at any step, and block no client',
    async () => {
      const bmc = testBmc({ hideUserNames: true });
      const random = randomOf(5);
      const fault = await firstFault(HALF_OPEN, async (index) => {
        if (index % STRETCH === 0) forget(bmc);
        bmc.now += random.below(3);
        const client = bmc.client({ address: `192.0.2.${random.below(256)}`, port: random.below(65_536) });
        const { managedId } = await client.open(cipherSuite(random.chance(0.5) ? 3 : 17));
        if (random.chance(0.5)) return undefined;
        const username = random.chance(0.5) ? Buffer.from(CREDENTIALS.username) : random.bytes(random.below(17));
        const consoleRandom = Buffer.alloc(16, index);
        await client.sessionless(
          PAYLOAD_TYPE.rakp1,
          encodeRakp1({ tag: 1, managedId, consoleRandom, role: 0x14, username }),
        );
        return undefined;
      });
      expect(fault).toBeUndefined();
      expect(bmc.told.failed).toEqual([]);
      bmc.now += DEFAULT_LOCKOUT.seconds * 1_000 + DEFAULT_LIMITS.halfOpenTimeout;
      bmc.server.tick(bmc.now);
      bmc.now += DEFAULT_LOCKOUT.seconds * 1_000;
      expect((await (await bmc.loggedIn()).command(0x06, 0x01)).completionCode).toBe(0);
    },
    TIMEOUT,
  );
});

/** A client of a BMC with its initial accounts, machine and sessions. */
async function anew(bmc: TestBmc): Promise<RmcpPlusClient> {
  bmc.accounts = new MemoryAccounts(CREDENTIALS);
  bmc.advance(60_000);
  bmc.server.invalidateSessions();
  forget(bmc);
  return await bmc.loggedIn();
}

async function loggedIn15(bmc: TestBmc): Promise<Client15> {
  const client = new Client15(directTransport(bmc.server, PEER, () => bmc.now));
  expect(await client.login(CREDENTIALS)).toBe(0);
  await client.command(0x06, 0x3b, Buffer.of(4));
  return client;
}

/** A packet of an IPMI 1.5 session; its message need not be a request. */
function signed15(client: Client15, payload: Buffer): Buffer {
  const { sessionId, sequence } = client;
  client.sequence += 1;
  return encodeAuthenticatedPacket(Buffer.from(CREDENTIALS.password), { sessionId, sequence, payload });
}

/** The records of the test BMC would grow with the packets. */
function forget({ told, sent, machine }: TestBmc): void {
  told.dropped.length = 0;
  told.commands.length = 0;
  told.loginFailed.length = 0;
  told.loginSucceeded.length = 0;
  told.sessionEnded.length = 0;
  sent.length = 0;
  machine.calls.length = 0;
}

function faultOf(packet: Buffer, answers: readonly Buffer[]): string | undefined {
  const fault = faultOfAnswer(packet, answers);
  return fault === undefined ? undefined : `${fault}: ${packet.toString('hex')}`;
}

/** Seven of ten are existing commands, most with a valid length. */
function randomCommand(random: Random): { netFn: number; command: number; data: Buffer } {
  const known: Command | undefined = random.chance(0.7) ? random.pick(COMMANDS) : undefined;
  const [min, max] = known?.requestLength ?? [0, 10];
  const length = random.chance(0.9) ? min + random.below(Math.min(max, min + 40) - min + 1) : random.below(600);
  return {
    netFn: known?.netFn ?? random.below(32) * 2,
    command: known?.command ?? random.below(256),
    data: random.bytes(length),
  };
}
