import { randomBytes, X509Certificate } from 'node:crypto';
import {
  type KeyPair,
  createAuthority,
  issueCertificate,
  type CertificateRequest,
} from '@groundcrew/controller-runtime/certificates';
import { isObject, parseJson, type Json, type JsonObject } from './json.ts';
import { FolderDisk, StorageError } from './store/index.ts';

/** The server's certificates and secrets. Issued kubeconfigs and tokens are valid only with the same identity. */
export interface Identity {
  certificates: ServerCertificates;
  /** The administrator's bearer token. */
  adminToken: string;
  /** The key that signs service account tokens, base64. */
  tokenKey: string;
  /** The port that the server listened on last. */
  port?: number;
}

const FILE = 'identity.json';
const FORMAT = 1;

/** Loads the identity from the folder, or creates one. Renews certificates that expire soon. @throws StorageError */
export async function prepareIdentity(now: number, folder: string | undefined): Promise<Identity> {
  const disk = folder === undefined ? undefined : new FolderDisk(folder);
  const saved = disk === undefined ? undefined : read(disk);
  const certificates = await prepareCertificates(now, saved?.certificates).catch((cause: unknown) => {
    throw disk === undefined ? cause : damaged(disk, cause);
  });
  return {
    adminToken: randomBytes(32).toString('base64url'),
    tokenKey: randomBytes(32).toString('base64'),
    ...saved,
    certificates,
  };
}

/** Writes the identity atomically, with mode 0600. @throws StorageError */
export function saveIdentity(folder: string, identity: Identity): void {
  const text = `${JSON.stringify({ format: FORMAT, ...identity }, undefined, 2)}\n`;
  const disk = new FolderDisk(folder);
  if (disk.list().includes(FILE) && disk.read(FILE).equals(Buffer.from(text))) return;
  try {
    disk.replace(FILE, text);
  } catch (cause) {
    throw new StorageError(`${disk.pathOf(FILE)} cannot be written: ${String(cause)}`, { cause });
  }
}

function read(disk: FolderDisk): Identity | undefined {
  if (!disk.list().includes(FILE)) return undefined;
  const value = parse(disk.read(FILE).toString('utf8'));
  if (isObject(value) && typeof value['format'] === 'number' && value['format'] > FORMAT) {
    const versions = `format ${value['format']}; this version reads ${FORMAT}`;
    throw new StorageError(`${disk.pathOf(FILE)} was written by a later version of Groundcrew (${versions}).`);
  }
  const identity = isObject(value) ? identityOf(value) : undefined;
  if (identity === undefined) throw damaged(disk);
  return identity;
}

function damaged(disk: FolderDisk, cause?: unknown): StorageError {
  const why = 'issued kubeconfigs and tokens are valid only with this file';
  return new StorageError(`${disk.pathOf(FILE)} is damaged. Restore it from a copy: ${why}.`, { cause });
}

function identityOf({ certificates, adminToken, tokenKey, port }: JsonObject): Identity | undefined {
  if (typeof adminToken !== 'string' || typeof tokenKey !== 'string' || !isObject(certificates)) return undefined;
  const [authority, server, frontProxyAuthority, frontProxy] = (
    ['authority', 'server', 'frontProxyAuthority', 'frontProxy'] as const
  ).map((name) => certificateOf(certificates[name]));
  if (!authority || !server || !frontProxyAuthority || !frontProxy) return undefined;
  const known = { authority, server, frontProxyAuthority, frontProxy };
  return { certificates: known, adminToken, tokenKey, ...(typeof port === 'number' ? { port } : {}) };
}

function certificateOf(value: Json | undefined): KeyPair | undefined {
  if (!isObject(value)) return undefined;
  const { cert, key } = value;
  return typeof cert === 'string' && typeof key === 'string' ? { cert, key } : undefined;
}

function parse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The server's certificates and keys. */
export interface ServerCertificates {
  /** The CA that clients verify the server with, and the server's certificate. */
  authority: KeyPair;
  server: KeyPair;
  /** The CA that aggregated servers verify the front proxy with, and the front proxy's client certificate. */
  frontProxyAuthority: KeyPair;
  frontProxy: KeyPair;
}

type Issued = Omit<CertificateRequest, 'now'>;

const SERVER: Issued = {
  subject: 'CN=kube-apiserver',
  usage: 'server',
  names: ['127.0.0.1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
};
const FRONT_PROXY: Issued = { subject: 'CN=front-proxy-client', usage: 'client' };

/** The server renews a saved certificate at start if it expires within this time, in milliseconds. */
const RENEWED_BEFORE = 90 * 24 * 60 * 60 * 1000;

/** Creates the server's CAs and certificates. Saved ones are reused unless they expire soon. */
export async function prepareCertificates(now: number, saved?: ServerCertificates): Promise<ServerCertificates> {
  const [authority, frontProxyAuthority] = await Promise.all([
    prepareAuthority('groundcrew-sandbox', now, saved?.authority),
    prepareAuthority('front-proxy-ca', now, saved?.frontProxyAuthority),
  ]);
  const [server, frontProxy] = await Promise.all([
    issued(authority, SERVER, now, saved?.server),
    issued(frontProxyAuthority, FRONT_PROXY, now, saved?.frontProxy),
  ]);
  return { authority, server, frontProxyAuthority, frontProxy };
}

/** A renewed CA keeps its key: the old and the new CA certificate both verify certificates that this key signed. */
async function prepareAuthority(name: string, now: number, saved: KeyPair | undefined): Promise<KeyPair> {
  if (saved !== undefined && !isNearExpiry(saved.cert, now)) return saved;
  return await createAuthority({ subject: `CN=${name}`, now, ...(saved === undefined ? {} : { key: saved.key }) });
}

async function issued(authority: KeyPair, request: Issued, now: number, saved: KeyPair | undefined): Promise<KeyPair> {
  if (saved !== undefined && !isNearExpiry(saved.cert, now)) return saved;
  return await issueCertificate(authority, { ...request, now });
}

function isNearExpiry(certificate: string, now: number): boolean {
  return new X509Certificate(certificate).validToDate.getTime() - now < RENEWED_BEFORE;
}
