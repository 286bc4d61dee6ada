import { uint32 } from '../message/integers.ts';
import { cipherSuite } from '../rmcpplus/cipher-suite.ts';
import { Hmac } from '../rmcpplus/hmac.ts';
import { type KeyExchange, rakp3AuthCode, roleAndName, sessionCodes, sessionKeys } from '../rmcpplus/keys.ts';
import { decodeOpenSessionResponse, encodeOpenSessionRequest } from '../rmcpplus/open-session.ts';
import { decodeSessionlessPacket, encodeSessionlessPacket, PAYLOAD_TYPE } from '../rmcpplus/packet.ts';
import { decodeRakp2, encodeRakp1, encodeRakp3 } from '../rmcpplus/rakp.ts';
import { SecureChannel } from '../rmcpplus/secure-channel.ts';
import { consoleSessionId, type ManagedSessionId, managedSessionId } from '../rmcpplus/session-id.ts';
import { encodeRequest } from '../message/lan-message.ts';
import { aRequest } from './a-request.ts';
import { CREDENTIALS, seededRandom } from './test-bmc.ts';

/** Returns the answer to a datagram, or undefined. */
type Send = (datagram: Buffer) => Buffer | undefined;

const SUITE = cipherSuite(17);
const CONSOLE_ID = consoleSessionId(7);
const ROLE = 0x14;

/** A client that runs single log-in steps in any order and keeps only its last handshake. */
export class SteppingClient {
  readonly #send: Send;
  readonly #random: (size: number) => Buffer;
  #managedId: ManagedSessionId = managedSessionId(0);
  #keys: KeyExchange | undefined;
  #session: { id: ManagedSessionId; channel: SecureChannel } | undefined;
  #sequence = 0;

  constructor(send: Send, seed: string) {
    this.#send = send;
    this.#random = seededRandom(seed);
  }

  /** Open Session; like all steps it returns the status, or undefined without an answer. */
  open(): number | undefined {
    const request = encodeOpenSessionRequest({ tag: 1, maxPrivilege: 4, consoleId: CONSOLE_ID, ...SUITE });
    const answer = this.#step(PAYLOAD_TYPE.openSessionRequest, request);
    if (answer?.[1] !== 0) return answer?.[1];
    this.#managedId = decodeOpenSessionResponse(answer).managedId;
    this.#keys = undefined;
    return 0;
  }

  rakp1(username: string): number | undefined {
    const consoleRandom = this.#random(16);
    const [managedId, name] = [this.#managedId, Buffer.from(username)];
    const answer = this.#step(
      PAYLOAD_TYPE.rakp1,
      encodeRakp1({ tag: 2, managedId, consoleRandom, role: ROLE, username: name }),
    );
    if (answer?.[1] !== 0) return answer?.[1];
    const { managedRandom, guid } = decodeRakp2(answer);
    const userCodes = new Hmac(SUITE, Buffer.from(CREDENTIALS.password));
    const randoms = { consoleRandom, managedRandom, guid };
    const ids = { suite: SUITE, consoleId: CONSOLE_ID, managedId };
    this.#keys = {
      ...ids,
      ...randoms,
      roleAndName: roleAndName({ role: ROLE, username: name }),
      userCodes,
      bmcCodes: undefined,
    };
    return 0;
  }

  rakp3(proves: boolean): number | undefined {
    const keys = this.#keys;
    const authCode = proves && keys !== undefined ? rakp3AuthCode(keys) : Buffer.alloc(32, 1);
    const rakp3 = encodeRakp3({ tag: 3, status: 0, managedId: this.#managedId, authCode });
    const answer = this.#step(PAYLOAD_TYPE.rakp3, rakp3);
    if (answer?.[1] !== 0 || keys === undefined) return answer?.[1];
    if (this.#session?.id === this.#managedId) return 0;
    const channel = new SecureChannel({
      suite: SUITE,
      keys: sessionKeys(sessionCodes(keys)),
      remoteId: this.#managedId,
      random: this.#random,
    });
    this.#session = { id: this.#managedId, channel };
    return 0;
  }

  /** The datagram of a request in its session; undefined without a session. */
  request(netFn: number, command: number, data: Buffer): Buffer | undefined {
    this.#sequence = (this.#sequence + 1) % 64;
    return this.#session?.channel.seal(
      PAYLOAD_TYPE.ipmi,
      encodeRequest(aRequest({ netFn, sequence: this.#sequence, command, data })),
    );
  }

  /** The datagram of Close Session; undefined without a session. */
  close(): Buffer | undefined {
    return this.request(0x06, 0x3c, uint32(this.#session?.id ?? 0));
  }

  #step(payloadType: number, payload: Buffer): Buffer | undefined {
    const answer = this.#send(encodeSessionlessPacket(payloadType, payload));
    return answer === undefined ? undefined : decodeSessionlessPacket(answer).payload;
  }
}
