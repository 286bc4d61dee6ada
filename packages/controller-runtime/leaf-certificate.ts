import { generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { promisify } from 'node:util';

/** What is needed of an authority to sign certificates; DER, as in its own certificate. */
export interface Signer {
  /** ECDSA P-256. */
  key: KeyObject;
  /** Its distinguished name. */
  name: Uint8Array;
  /** The extension AuthorityKeyIdentifier. */
  keyIdentifier: Uint8Array;
}

export interface LeafRequest {
  /** Distinguished name, DER. */
  subject: Uint8Array;
  usage: 'server' | 'client';
  /** DNS names and IP addresses. */
  names: readonly string[];
  notBefore: Date;
  notAfter: Date;
}

const [INTEGER, OCTET_STRING, SEQUENCE, BIT_STRING] = [0x02, 0x04, 0x30, 0x03];
const [UTC_TIME, GENERALIZED_TIME] = [0x17, 0x18];
/** Implicit tags of a GeneralName. */
const [DNS_NAME, IP_ADDRESS] = [0x82, 0x87];
/** ecdsa-with-SHA256 (RFC 5758 §3.2). */
const ALGORITHM = Buffer.from('300a06082a8648ce3d040302', 'hex');
const VERSION_3 = Buffer.from('a003020102', 'hex');
/** basicConstraints: no authority; keyUsage: digitalSignature. Both critical. */
const CONSTRAINTS = Buffer.from('300c0603551d130101ff04023000', 'hex');
const KEY_USAGE = Buffer.from('300e0603551d0f0101ff040403020780', 'hex');
/** id-kp-serverAuth and id-kp-clientAuth. */
const PURPOSES = { server: '06082b06010505070301', client: '06082b06010505070302' } as const;
const [EXTENDED_KEY_USAGE, ALTERNATIVE_NAME] = ['0603551d25', '0603551d11'];

const generate = promisify(generateKeyPair);

/**
 * Makes a key and a certificate for it (RFC 5280) that is no authority. For libraries that build and read a tree of ASN.1 objects this is
 * several milliseconds of work, and a manager does it for each BMC.
 *
 * @returns both as PEM; the key as PKCS #8
 */
export async function issueLeaf(signer: Signer, request: LeafRequest): Promise<{ cert: string; key: string }> {
  const { subject, usage, names, notBefore, notAfter } = request;
  const { publicKey, privateKey } = await generate('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const extensions = [
    ...[CONSTRAINTS, KEY_USAGE, extension(EXTENDED_KEY_USAGE, der(SEQUENCE, Buffer.from(PURPOSES[usage], 'hex')))],
    signer.keyIdentifier,
    ...(names.length === 0 ? [] : [extension(ALTERNATIVE_NAME, der(SEQUENCE, ...names.map(generalName)))]),
  ];
  const content = der(
    SEQUENCE,
    ...[VERSION_3, der(INTEGER, serialNumber()), ALGORITHM, signer.name],
    ...[der(SEQUENCE, time(notBefore), time(notAfter)), subject, publicKey],
    der(0xa3, der(SEQUENCE, ...extensions)),
  );
  const signature = der(BIT_STRING, Buffer.of(0), sign('sha256', content, signer.key));
  return { cert: pem(der(SEQUENCE, content, ALGORITHM, signature)), key: privateKey };
}

/** An element in DER with these contents in a row. */
export function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const length = contents.reduce((sum, each) => sum + each.length, 0);
  if (length > 0xffff) throw new RangeError(`${length} bytes are more than a certificate can have`);
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >>> 8, length & 0xff];
  return Buffer.concat([Uint8Array.of(tag, ...size), ...contents]);
}

function extension(oid: string, value: Uint8Array): Buffer {
  return der(SEQUENCE, Buffer.from(oid, 'hex'), der(OCTET_STRING, value));
}

function generalName(name: string): Buffer {
  return isIP(name) === 0 ? der(DNS_NAME, Buffer.from(name, 'latin1')) : der(IP_ADDRESS, addressBytes(name));
}

function addressBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number);
  // In hexadecimal groups, also if it was written with an IPv4 address at its end.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groupsIn = (text = ''): string[] => (text === '' ? [] : text.split(':'));
  const [before, after] = [groupsIn(head), groupsIn(tail)];
  const between = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...between, ...after].map((group) => group.padStart(4, '0'));
  return Buffer.from(groups.join(''), 'hex');
}

/** 127 random bits: positive, and not zero. */
function serialNumber(): Uint8Array {
  const [first = 0, ...others] = randomBytes(16);
  return Uint8Array.of((first & 0x3f) | 0x40, ...others);
}

/** RFC 5280 §4.1.2.5: two digits of the year until 2049. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  const isLong = date.getUTCFullYear() >= 2050;
  return der(isLong ? GENERALIZED_TIME : UTC_TIME, Buffer.from(isLong ? digits : digits.slice(2), 'latin1'));
}

function pem(content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n');
}
