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
  /** The whole role byte of RAKP 1 with the lookup bit; the codes use it unchanged. */
  readonly role: number;
  readonly username: Buffer;
  /** The user's password; HMAC pads it with zeros, like the 20-byte field of the specification. */
  readonly userKey: Buffer;
  /** The BMC key K_G; undefined if not set: the user key is used instead. */
  readonly bmcKey: Buffer | undefined;
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
  return hmac(exchange.suite, exchange.userKey, [
    uint32(exchange.consoleId),
    uint32(exchange.managedId),
    exchange.consoleRandom,
    exchange.managedRandom,
    exchange.guid,
    roleAndName(exchange),
  ]);
}

/** Key exchange authentication code of RAKP 3: proves that the client knows the password. */
export function rakp3AuthCode(exchange: KeyExchange): Buffer {
  return hmac(exchange.suite, exchange.userKey, [
    exchange.managedRandom,
    uint32(exchange.consoleId),
    roleAndName(exchange),
  ]);
}

/** SIK, the session integrity key from which other keys are derived, IPMI 2.0 §13.31. */
export function sessionIntegrityKey(exchange: KeyExchange): Buffer {
  return hmac(exchange.suite, exchange.bmcKey ?? exchange.userKey, [
    exchange.consoleRandom,
    exchange.managedRandom,
    roleAndName(exchange),
  ]);
}

/** Integrity check value of RAKP 4; it lets the client check its K_G. */
export function rakp4IntegrityCheck(exchange: KeyExchange, sik: Buffer): Buffer {
  const { suite } = exchange;
  const code = hmac(suite, sik, [exchange.consoleRandom, uint32(exchange.managedId), exchange.guid]);
  return code.subarray(0, suite.integrityLength);
}

const CONSTANT_1 = Buffer.alloc(20, 1);
const CONSTANT_2 = Buffer.alloc(20, 2);

/** K1 and K2 of IPMI 2.0 §13.32. Their constants have 20 bytes for every hash, as in all clients. */
export function sessionKeys(suite: CipherSuite, sik: Buffer): SessionKeys {
  return {
    integrity: hmac(suite, sik, [CONSTANT_1]),
    confidentiality: hmac(suite, sik, [CONSTANT_2]).subarray(0, 16),
  };
}

function roleAndName(exchange: KeyExchange): Buffer {
  return Buffer.concat([Buffer.of(exchange.role, exchange.username.length), exchange.username]);
}

function hmac(suite: CipherSuite, key: Buffer, parts: readonly Buffer[]): Buffer {
  return Buffer.from(new Hmac(suite, key).code(...parts), 'latin1');
}
