import 'reflect-metadata';
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  KeyObject,
  randomBytes,
  sign,
  webcrypto,
} from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import * as asn1 from 'asn1js';
import ipaddr from 'ipaddr.js';

/** A certificate and its private key (PKCS #8), both PEM, with the property names of node:tls. */
export interface KeyPair {
  cert: string;
  key: string;
}

interface Validity {
  /** Milliseconds since 1970. */
  now: number;
  /** Milliseconds. Default: ten years. */
  lifetime?: number;
}

export interface AuthorityRequest extends Validity {
  /** Distinguished name: `CN=groundcrew-ca`. */
  subject: string;
  /** Private key in PEM, ECDSA P-256, to renew an authority. Default: a new key. */
  key?: string;
  /** Domains of the DNS names that it may sign; IP addresses are not constrained. Default: all names. */
  permittedDomains?: readonly string[] | undefined;
}

export interface CertificateRequest extends Validity {
  /** Distinguished name: `CN=admin, O=system:masters`. */
  subject: string;
  usage: 'server' | 'client';
  /** DNS names and IP addresses. */
  names?: readonly string[];
}

/** ECDSA P-256, which kube-apiserver and all common clients can verify. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** RFC 5758 §3.2. */
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const SUBJECT_ALT_NAME = '2.5.29.17';
/** The number of X.509 version 3. */
const V3 = 2;
const HOUR = 3_600_000;
const TEN_YEARS = 3650 * 24 * HOUR;

/** Creates a certificate authority. */
export async function createAuthority({
  subject,
  key,
  permittedDomains = [],
  ...period
}: AuthorityRequest): Promise<KeyPair> {
  const keys = await (key === undefined ? generateKeys() : importKeys(key));
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: subject,
      ...validity(period),
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        ...(permittedDomains.length === 0 ? [] : [nameConstraints(permittedDomains)]),
      ],
    },
    webcrypto,
  );
  return { cert: certificate.toString('pem'), key: pemOf(keys) };
}

/** The name constraints of an authority (RFC 5280 §4.2.1.10): `permittedSubtrees` with dNSNames. */
function nameConstraints(domains: readonly string[]): x509.Extension {
  const subtrees = domains.map((domain) => new asn1.Sequence({ value: [dnsName(domain)] }));
  return new x509.Extension('2.5.29.30', true, new asn1.Sequence({ value: [tagged(0, subtrees)] }).toBER());
}

/** A context-specific tag around other values. */
function tagged(tagNumber: number, value: asn1.BaseBlock[]): asn1.Constructed {
  return new asn1.Constructed({ idBlock: { tagClass: 3, tagNumber }, value });
}

/**
 * Issues a certificate with a new key (RFC 5280 §4.1). It is assembled here: the library's generator parses each part, and the whole
 * certificate, once more, which takes five times as long.
 */
export async function issueCertificate(authority: KeyPair, request: CertificateRequest): Promise<KeyPair> {
  const { subject, usage, names = [], ...period } = request;
  const signer = await signerOf(authority);
  const keys = generateKeyPairSync('ec', {
    namedCurve: ALGORITHM.namedCurve,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const { notBefore, notAfter } = validity(period);
  const body = new asn1.Sequence({
    value: [
      tagged(0, [new asn1.Integer({ value: V3 })]),
      asn1.Integer.fromBigInt(`0x${randomBytes(16).toString('hex')}`),
      signer.algorithm,
      signer.name,
      new asn1.Sequence({ value: [time(notBefore), time(notAfter)] }),
      parsed(new x509.Name(subject).toArrayBuffer()),
      parsed(keys.publicKey),
      tagged(3, [new asn1.Sequence({ value: [...signer.extensions[usage], ...alternativeNames(names)] })]),
    ],
  });
  const signature = new asn1.BitString({ valueHex: sign('sha256', Buffer.from(body.toBER()), signer.key) });
  const certificate = new asn1.Sequence({ value: [body, signer.algorithm, signature] }).toBER();
  return { cert: x509.PemConverter.encode(certificate, x509.PemConverter.CertificateTag), key: keys.privateKey };
}

/** What all certificates of an authority have in common. */
interface Signer {
  key: KeyObject;
  name: asn1.BaseBlock;
  algorithm: asn1.BaseBlock;
  extensions: Readonly<Record<CertificateRequest['usage'], readonly asn1.BaseBlock[]>>;
}

/** The last authority: to read one takes as long as to issue a certificate. */
let last: { authority: KeyPair; signer: Promise<Signer> } | undefined;

function signerOf({ cert, key }: KeyPair): Promise<Signer> {
  if (last?.authority.cert === cert && last.authority.key === key) return last.signer;
  const signer = readSigner({ cert, key });
  last = { authority: { cert, key }, signer };
  return signer;
}

async function readSigner({ cert, key }: KeyPair): Promise<Signer> {
  const { publicKey } = await importKeys(key);
  const identifier = await x509.AuthorityKeyIdentifierExtension.create(publicKey, false, webcrypto);
  const extensions = (purpose: x509.ExtendedKeyUsage): asn1.BaseBlock[] =>
    [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([purpose]),
      identifier,
    ].map(encoded);
  return {
    key: createPrivateKey(key),
    name: parsed(new x509.X509Certificate(cert).subjectName.toArrayBuffer()),
    algorithm: new asn1.Sequence({ value: [new asn1.ObjectIdentifier({ value: ECDSA_WITH_SHA256 })] }),
    extensions: {
      server: extensions(x509.ExtendedKeyUsage.serverAuth),
      client: extensions(x509.ExtendedKeyUsage.clientAuth),
    },
  };
}

function encoded({ rawData }: x509.Extension): asn1.BaseBlock {
  return parsed(rawData);
}

function parsed(der: ArrayBuffer | Uint8Array): asn1.BaseBlock {
  return asn1.fromBER(der).result;
}

/** RFC 5280 §4.1.2.5: whole seconds, and from 2050 on with four digits of the year. */
function time(date: Date): asn1.BaseBlock {
  const valueDate = new Date(date);
  valueDate.setUTCMilliseconds(0);
  return date.getUTCFullYear() < 2050 ? new asn1.UTCTime({ valueDate }) : new asn1.GeneralizedTime({ valueDate });
}

export interface ServerRequest extends Validity {
  /** DNS names and IP addresses; the first is the common name. */
  names: readonly [string, ...string[]];
}

/**
 * Issues the certificate of a server by a new authority that signs nothing else.
 *
 * @returns also `ca`, the certificate of the authority, PEM
 */
export async function issueServerCertificate(request: ServerRequest): Promise<KeyPair & { ca: string }> {
  const subject = `CN=${request.names[0]}`;
  const authority = await createAuthority({ now: request.now, subject: `${subject}-ca` });
  return { ca: authority.cert, ...(await issueCertificate(authority, { subject, usage: 'server', ...request })) };
}

export interface RequestContents {
  /** Attributes of the distinguished name by their short names, in order: `['CN', 'bmc.example']`. */
  subject: readonly (readonly [attribute: string, value: string])[];
  /** DNS names and IP addresses. */
  names: readonly string[];
  /** The curve of an ECDSA key, or the bits of an RSA key. */
  key: 'P-256' | 'P-384' | number;
}

/**
 * Makes a private key (PKCS #8) and a request with it for the certificate of a server (PKCS #10, RFC 2986).
 *
 * @returns both as PEM
 */
export async function createRequest(contents: RequestContents): Promise<{ request: string; key: string }> {
  const { subject, names, key } = contents;
  const algorithm =
    typeof key === 'number'
      ? { name: 'RSASSA-PKCS1-v1_5', modulusLength: key, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }
      : { ...ALGORITHM, namedCurve: key };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create(
    {
      name: new x509.Name(subject.map(([name, text]) => ({ [name]: [typed(name, text)] }))),
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        ...alternativeNames(names).map((extension) => new x509.Extension(extension.toBER())),
      ],
    },
    webcrypto,
  );
  return { request: request.toString('pem'), key: pemOf(keys) };
}

/** Without a type, the library gives a meaning to # and quotes. A country is a PrintableString (RFC 5280 appendix A.1). */
function typed(name: string, text: string): x509.JsonAttributeObject {
  return name === 'C' ? { printableString: text } : { utf8String: text };
}

/** The extension with names and addresses (RFC 5280 §4.2.1.6): GeneralNames with dNSNames and iPAddresses. */
function alternativeNames(names: readonly string[]): asn1.Sequence[] {
  if (names.length === 0) return [];
  const value = names.map((name) =>
    isIP(name) === 0 ? dnsName(name) : general(7, Buffer.from(ipaddr.parse(name).toByteArray())),
  );
  const valueHex = new asn1.Sequence({ value }).toBER();
  return [
    new asn1.Sequence({
      value: [new asn1.ObjectIdentifier({ value: SUBJECT_ALT_NAME }), new asn1.OctetString({ valueHex })],
    }),
  ];
}

function dnsName(domain: string): asn1.Primitive {
  return general(2, Buffer.from(domain, 'latin1'));
}

/** A GeneralName. */
function general(tagNumber: number, valueHex: Buffer): asn1.Primitive {
  return new asn1.Primitive({ idBlock: { tagClass: 3, tagNumber }, valueHex });
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function importKeys(key: string): Promise<webcrypto.CryptoKeyPair> {
  const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return {
    privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, true, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
  };
}

function pemOf({ privateKey }: webcrypto.CryptoKeyPair): string {
  return KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' });
}

/** Begins an hour ago, for clients whose clocks are behind. */
function validity({ now, lifetime = TEN_YEARS }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - HOUR), notAfter: new Date(now + lifetime) };
}
