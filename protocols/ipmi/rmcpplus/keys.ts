import { uint32 } from '../message/integers.ts';
import type { CipherSuite } from './cipher-suite.ts';
import { Hmac } from './hmac.ts';
import type { ConsoleSessionId, ManagedSessionId } from './session-id.ts';

/** The data that both sides share after RAKP 1 and 2; input of the codes of IPMI 2.0 §13.31. */
export interface KeyExchange {
  readonly suite: CipherSuite;
  readonly consoleId: ConsoleSessionId;
  readonly managedId: ManagedSessionId;
  /** 16 bytes each. */
  readonly consoleRandom: Buffer;
  readonly managedRandom: Buffer;
  readonly guid: Buffer;
  /** See {@link roleAndName}. */
  readonly roleAndName: Buffer;
  /** Codes with the user's password; HMAC pads it with zeros, like the 20-byte field of the specification. */
  readonly userCodes: Hmac;
  /** Codes with the BMC key K_G; undefined if not set: the password is used instead. */
  readonly bmcCodes: Hmac | undefined;
}

/** Keys of an active session. */
export interface SessionKeys {
  /** K1: signs packets. */
  readonly integrity: Buffer;
  /** First 16 bytes of K2: encrypts payloads. */
  readonly confidentiality: Buffer;
}

/** Key exchange authentication code of RAKP 2: proves that the BMC knows the password. */
export function rakp2AuthCode(exchange: KeyExchange): Buffer {
  const { userCodes, consoleId, managedId, consoleRandom, managedRandom, guid } = exchange;
  const ids = [uint32(consoleId), uint32(managedId)];
  return codeOf(userCodes, Buffer.concat([...ids, consoleRandom, managedRandom, guid, exchange.roleAndName]));
}

/** Key exchange authentication code of RAKP 3: proves that the client knows the password. */
export function rakp3AuthCode(exchange: KeyExchange): Buffer {
  const { userCodes, managedRandom, consoleId } = exchange;
  return codeOf(userCodes, Buffer.concat([managedRandom, uint32(consoleId), exchange.roleAndName]));
}

/** Codes with the SIK, the session integrity key from which other keys are derived, IPMI 2.0 §13.31. */
export function sessionCodes(exchange: KeyExchange): Hmac {
  const { suite, bmcCodes, userCodes, consoleRandom, managedRandom } = exchange;
  const message = Buffer.concat([consoleRandom, managedRandom, exchange.roleAndName]);
  return new Hmac(suite, codeOf(bmcCodes ?? userCodes, message));
}

/** Integrity check value of RAKP 4; it lets the client check its K_G. */
export function rakp4IntegrityCheck({ suite, consoleRandom, managedId, guid }: KeyExchange, codes: Hmac): Buffer {
  const message = Buffer.concat([consoleRandom, uint32(managedId), guid]);
  return codeOf(codes, message).subarray(0, suite.integrityLength);
}

const CONSTANT_1 = Buffer.alloc(20, 1);
const CONSTANT_2 = Buffer.alloc(20, 2);

/**
 * K1 and K2 of IPMI 2.0 §13.32. Their constants have 20 bytes for every hash, as in all clients.
 *
 * @param codes with the SIK
 */
export function sessionKeys(codes: Hmac): SessionKeys {
  return { integrity: codeOf(codes, CONSTANT_1), confidentiality: codeOf(codes, CONSTANT_2).subarray(0, 16) };
}

/**
 * What the codes contain of RAKP 1.
 *
 * @param role the whole byte with the lookup bit; the codes use it unchanged
 */
export function roleAndName({ role, username }: { role: number; username: Buffer }): Buffer {
  return Buffer.concat([Buffer.of(role, username.length), username]);
}

function codeOf(codes: Hmac, message: Buffer): Buffer {
  return Buffer.from(codes.code(message));
}
