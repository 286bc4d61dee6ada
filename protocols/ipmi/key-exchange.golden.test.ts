import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MemoryAccounts, MemoryMachine } from '../testing/index.ts';
import { PEER, testBmc, type TestBmc } from './testing/test-bmc.ts';

/**
 * A second implementation of the key exchange of IPMI 2.0 §13.28 to §13.32. It uses none of the tested code; packets are built from
 * the tables of the specification.
 */
interface Suite {
  id: 3 | 17;
  /** Algorithms of the Open Session Request, §13.17: authentication, integrity, confidentiality. */
  algorithms: [number, number, number];
  hash: string;
  /** Bytes of the RAKP 4 integrity check value and of the packets' AuthCode, §13.28.1 and §13.28.4. */
  truncated: number;
}

const SUITES: Suite[] = [
  { id: 3, algorithms: [0x01, 0x01, 0x01], hash: 'sha1', truncated: 12 },
  { id: 17, algorithms: [0x03, 0x04, 0x01], hash: 'sha256', truncated: 16 },
];
const USER = 'operator';
const PASSWORD = 'only twenty bytes ..';
const UUID = '00112233-4455-6677-8899-aabbccddeeff';
/** §20.8: the whole GUID is sent least significant byte first. */
const GUID = Buffer.from('ffeeddccbbaa99887766554433221100', 'hex');
const CONSOLE_ID = Buffer.from('a4a3a2a0', 'hex');
const CONSOLE_RANDOM = Buffer.from('f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', 'hex');
/** Name-only lookup, Administrator: §13.20. */
const ROLE = 0x14;
const NAME = Buffer.concat([Buffer.of(ROLE, USER.length), Buffer.from(USER)]);

/** §13.20: keys shorter than 20 bytes are padded with zeros, K_G too. */
function padded(key: string): Buffer {
  return Buffer.concat([Buffer.from(key), Buffer.alloc(20)]).subarray(0, 20);
}

/** RMCP header and the session header of §13.6 for packets outside of a session. */
function sessionless(payloadType: number, payload: Buffer): Buffer {
  const header = Buffer.from('0600ff0706000000000000000000', 'hex');
  header[5] = payloadType;
  return Buffer.concat([header, Buffer.of(payload.length, 0), payload]);
}

async function exchange(bmc: TestBmc, datagram: Buffer): Promise<Buffer> {
  const [answer] = await bmc.server.handle(datagram, PEER, bmc.now);
  if (answer === undefined) throw new Error(`no answer; dropped: ${bmc.told.dropped.join()}`);
  return answer;
}

interface Exchange {
  bmc: TestBmc;
  managedId: Buffer;
  sik: Buffer;
  /** Received and expected codes of RAKP 2 and RAKP 4. */
  rakp2: { code: Buffer; expected: Buffer };
  rakp4: { code: Buffer; expected: Buffer };
}

async function exchangeKeys({ id, algorithms, hash, truncated }: Suite, kg: string | undefined): Promise<Exchange> {
  const machine = new MemoryMachine({ state: 'On' });
  const bmc = testBmc({ machine, guid: UUID, cipherSuites: [id] });
  bmc.accounts = new MemoryAccounts({ username: USER, password: PASSWORD });
  bmc.bmcKey = kg === undefined ? undefined : Buffer.from(kg);
  const hmac = (key: Buffer, ...parts: Buffer[]): Buffer => createHmac(hash, key).update(Buffer.concat(parts)).digest();

  const proposal = algorithms.map((algorithm, type) => Buffer.of(type, 0, 0, 8, algorithm, 0, 0, 0));
  const opened = await exchange(
    bmc,
    sessionless(0x10, Buffer.concat([Buffer.of(1, 0, 0, 0), CONSOLE_ID, ...proposal])),
  );
  const managedId = opened.subarray(24, 28);

  const rakp1 = Buffer.concat([Buffer.of(2, 0, 0, 0), managedId, CONSOLE_RANDOM, Buffer.of(ROLE, 0, 0, USER.length)]);
  const answer2 = (await exchange(bmc, sessionless(0x12, Buffer.concat([rakp1, Buffer.from(USER)])))).subarray(16);
  const managedRandom = answer2.subarray(8, 24);
  const guid = answer2.subarray(24, 40);
  expect(guid).toEqual(GUID);

  const userKey = padded(PASSWORD);
  // §13.28: RAKP 2 is of SID_M, SID_C, R_M, R_C, GUID_C, Role_M, ULength_M and UName_M; RAKP 3 of R_C, SID_M and the same end.
  const rakp2 = hmac(userKey, CONSOLE_ID, managedId, CONSOLE_RANDOM, managedRandom, guid, NAME);
  const proof = hmac(userKey, managedRandom, CONSOLE_ID, NAME);
  // §13.31: SIK = HMAC(K_G, R_M, R_C, Role_M, ULength_M, UName_M), with K_UID if there is no K_G.
  const sik = hmac(kg === undefined ? userKey : padded(kg), CONSOLE_RANDOM, managedRandom, NAME);
  const answer4 = (
    await exchange(bmc, sessionless(0x14, Buffer.concat([Buffer.of(3, 0, 0, 0), managedId, proof])))
  ).subarray(16);
  return {
    bmc,
    managedId,
    sik,
    rakp2: { code: answer2.subarray(40), expected: rakp2 },
    rakp4: {
      code: answer4.subarray(8),
      expected: hmac(sik, CONSOLE_RANDOM, managedId, guid).subarray(0, truncated),
    },
  };
}

/** §13.6, §13.28.4 and §13.29: session header, vector, encrypted payload and pad, integrity pad, pad length, next header, AuthCode. */
function sealed(
  suite: Suite,
  sik: Buffer,
  sessionId: Buffer,
  sequence: number,
  vector: Buffer,
  message: Buffer,
): Buffer {
  // §13.32: K1 and K2 are HMACs with SIK over 20 bytes of 01 and 02.
  const k1 = createHmac(suite.hash, sik).update(Buffer.alloc(20, 0x01)).digest();
  const k2 = createHmac(suite.hash, sik).update(Buffer.alloc(20, 0x02)).digest();
  const pad = (16 - ((message.length + 1) % 16)) % 16;
  const cipher = createCipheriv('aes-128-cbc', k2.subarray(0, 16), vector).setAutoPadding(false);
  const confidentiality = Buffer.concat([
    message,
    Buffer.from(Array.from({ length: pad }, (_, i) => i + 1)),
    Buffer.of(pad),
  ]);
  const payload = Buffer.concat([vector, cipher.update(confidentiality), cipher.final()]);
  const header = Buffer.concat([Buffer.of(0x06, 0xc0), sessionId, Buffer.of(sequence, 0, 0, 0, payload.length, 0)]);
  const integrityPad = (4 - ((header.length + payload.length + 2) % 4)) % 4;
  const body = Buffer.concat([header, payload, Buffer.alloc(integrityPad, 0xff), Buffer.of(integrityPad, 0x07)]);
  const code = createHmac(suite.hash, k1).update(body).digest().subarray(0, suite.truncated);
  return Buffer.concat([Buffer.from('0600ff07', 'hex'), body, code]);
}

/** The message of §13.8 in a packet with these keys. */
function messageIn(suite: Suite, sik: Buffer, packet: Buffer): Buffer {
  const k2 = createHmac(suite.hash, sik).update(Buffer.alloc(20, 0x02)).digest();
  const payload = packet.subarray(16, 16 + packet.readUInt16LE(14));
  const decipher = createDecipheriv('aes-128-cbc', k2.subarray(0, 16), payload.subarray(0, 16)).setAutoPadding(false);
  const clear = Buffer.concat([decipher.update(payload.subarray(16)), decipher.final()]);
  return clear.subarray(0, clear.length - 1 - (clear.at(-1) ?? 0));
}

describe.each(SUITES)('the key exchange of suite $id', (suite) => {
  describe.each([
    ['without K_G', undefined],
    ['with K_G', 'the key of the BMC'],
  ])('%s', (_name, kg) => {
    it('produces the specified codes of RAKP 2 and RAKP 4', async () => {
      const { rakp2, rakp4 } = await exchangeKeys(suite, kg);
      expect(rakp2.code).toEqual(rakp2.expected);
      expect(rakp4.code).toEqual(rakp4.expected);
    });

    it('produces keys for packets that match the specification byte for byte', async () => {
      const { bmc, managedId, sik } = await exchangeKeys(suite, kg);
      // Get Device ID, 06/01, from the console's address 81 to the BMC's, 20; checksums of §13.8.
      const request = Buffer.from('2018c8810401' + '7a', 'hex');
      for (const sequence of [1, 2, 3]) {
        const vector = Buffer.alloc(16, 0x5a + sequence);
        const answer = await exchange(bmc, sealed(suite, sik, managedId, sequence, vector, request));
        const message = messageIn(suite, sik, answer);
        expect(message.subarray(0, 7).toString('hex')).toBe('811c63' + '200401' + '00');
        expect(answer).toEqual(sealed(suite, sik, CONSOLE_ID, sequence, answer.subarray(16, 32), message));
      }
      expect(bmc.told.commands.map(({ name }) => name)).toEqual(['Get Device ID', 'Get Device ID', 'Get Device ID']);
    });
  });
});
