import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { CERTIFICATE_KEYS, certificateSecretName, type VirtualMachineBMC } from '../../api/index.ts';
import {
  CERTIFICATE_LIFETIME,
  fits,
  isIssuedFor,
  isSignedBy,
  timeLeft,
  timeUntilValid,
  makeServerCertificate,
  type Issuer,
  type KeyPair,
} from '../authority/index.ts';
import type { Inputs, NamedCertificate, CertificateFact } from './inputs.ts';
import { certificateNames } from './certificate-names.ts';
import { ABSENT_VERSION, SECRETS, type Draft, type KubeClient, type Secret } from '@groundcrew/controller-runtime';
import { ownerReference } from '../bmc-agent/index.ts';
import { certificateLabels } from './children/identity.ts';

/** A certificate is renewed when less time than this remains, milliseconds. */
const RENEWED_BEFORE = CERTIFICATE_LIFETIME / 3;

/** The action for the Secret with a BMC's certificate. */
type CertificatePlan =
  | { act: 'keep' }
  /** Issue a certificate by the installation's authority. */
  | { act: 'issue'; authority: Issuer; names: readonly string[] }
  /** Copy the Secret that the spec names, or update the trusted authorities of the existing one; values are base64. */
  | { act: 'copy'; data: Readonly<Record<string, string>> };

const KEEP: CertificatePlan = { act: 'keep' };

/**
 * The action that is due. If a Secret that the spec names is not usable, a certificate copied from it earlier is kept;
 * without one, the authority issues a certificate instead.
 *
 * @param now milliseconds since 1970
 */
export function certificatePlan(inputs: Inputs, now: number): CertificatePlan {
  const { named, held } = inputs.certificate;
  if (held.standing === 'Theirs' || held.standing === 'Unread') return KEEP;
  const data = held.standing === 'Ours' ? held.data : {};
  if (named?.state === 'Unread') return KEEP;
  if (named?.state === 'Found' && namedProblem(named, now) === undefined) {
    const wanted = copyOf(named.data);
    return Object.entries(wanted).every(([key, value]) => data[key] === value) ? KEEP : { act: 'copy', data: wanted };
  }
  const { authority } = inputs.certificate;
  if (authority === undefined) return KEEP;
  const pair = pairIn(data);
  const { names } = certificateNames(inputs);
  const issue: CertificatePlan = { act: 'issue', authority, names };
  if (pair === undefined || !fits(pair)) return issue;
  if (named !== undefined && !isOurs(pair.cert, authority)) return KEEP;
  const isGood =
    timeLeft(pair.cert, now) >= RENEWED_BEFORE &&
    // A certificate that was issued while the clock was ahead is not valid yet.
    timeUntilValid(pair.cert, now) <= 0 &&
    isIssuedFor(pair.cert, authority.cert, names);
  if (!isGood) return issue;
  const bundle = Buffer.from(authority.bundle).toString('base64');
  if (data[CERTIFICATE_KEYS.authority] === bundle) return KEEP;
  return { act: 'copy', data: { ...copyOf(data), [CERTIFICATE_KEYS.authority]: bundle } };
}

/** Whether the installation issued it, by its current or previous authority. */
function isOurs(cert: string, { bundle }: Issuer): boolean {
  const authorities = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return authorities.some((authority) => isSignedBy(cert, authority));
}

/** Why a Secret that the spec names is not usable, as the end of a sentence; undefined if it is. */
export function namedProblem({ data = {} }: NamedCertificate, now: number): string | undefined {
  const pair = pairIn(data);
  const { certificate, key } = CERTIFICATE_KEYS;
  if (pair === undefined) {
    const lacking = [certificate, key].filter((each) => textIn(data, each) === '');
    return `has no ${lacking.join(' and no ')}`;
  }
  let read: X509Certificate;
  try {
    read = new X509Certificate(pair.cert);
  } catch {
    return `holds no certificate in PEM under ${certificate}`;
  }
  if (!fits(pair)) return `holds a key under ${key} that cannot be read or is not that of the certificate`;
  if (read.validToDate.getTime() <= now) return `holds a certificate that expired at ${read.validToDate.toISOString()}`;
  if (read.validFromDate.getTime() > now)
    return `holds a certificate that is not valid before ${read.validFromDate.toISOString()}`;
  try {
    createSecureContext({ ...pair, minVersion: 'TLSv1.2' });
    return undefined;
  } catch (error) {
    return `holds a certificate that cannot be served: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Milliseconds until a step becomes due by time alone. Steps that are already due are excluded: they are done at once
 * or need a change that triggers a reconcile.
 *
 * @returns undefined: no such step
 */
export function certificateDueIn(inputs: Inputs, now: number): number | undefined {
  const { held, named, authority } = inputs.certificate;
  const pair = held.standing === 'Ours' ? pairIn(held.data) : undefined;
  if (pair === undefined || (named === undefined && authority === undefined)) return undefined;
  const left = timeLeft(pair.cert, now) - (named === undefined ? RENEWED_BEFORE : 0);
  return left >= 0 ? left + 1000 : undefined;
}

function pairIn(data: Readonly<Record<string, string>>): KeyPair | undefined {
  const pair = { cert: textIn(data, CERTIFICATE_KEYS.certificate), key: textIn(data, CERTIFICATE_KEYS.key) };
  return pair.cert === '' || pair.key === '' ? undefined : pair;
}

function copyOf(data: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { certificate, key, authority } = CERTIFICATE_KEYS;
  return Object.fromEntries(
    [certificate, key, authority].flatMap((each) => (each in data ? [[each, data[each] ?? '']] : [])),
  );
}

function textIn(data: Readonly<Record<string, string>>, key: string): string {
  return Buffer.from(data[key] ?? '', 'base64').toString('utf8');
}

/**
 * Executes the action for a BMC's certificate.
 *
 * @param now milliseconds since 1970
 * @returns the Secret as written
 * @throws ApiError, TransportError; a conflict if another Secret has the name
 */
export async function writeCertificate(
  plan: CertificatePlan,
  {
    bmc,
    held,
    client,
    now,
  }: { bmc: VirtualMachineBMC; held: CertificateFact['held']; client: KubeClient; now: number },
): Promise<Secret | undefined> {
  if (plan.act === 'keep') return undefined;
  const data = plan.act === 'copy' ? plan.data : await issued(plan, now);
  const { namespace = '', name } = bmc.metadata;
  const uid = held.standing === 'Ours' || held.standing === 'Left' ? held.uid : undefined;
  const draft: Draft<Secret> = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: {
      name: certificateSecretName(name),
      namespace,
      labels: certificateLabels(bmc),
      ownerReferences: [ownerReference(bmc)],
      ...(uid === undefined ? { resourceVersion: ABSENT_VERSION } : { uid }),
    },
    data: { ...data },
  };
  return await client.apply(SECRETS, draft, { force: uid !== undefined });
}

async function issued(
  { authority, names }: Extract<CertificatePlan, { act: 'issue' }>,
  now: number,
): Promise<Record<string, string>> {
  const pair = await makeServerCertificate(authority, { names, lifetime: CERTIFICATE_LIFETIME, now });
  const { certificate, key, authority: signer } = CERTIFICATE_KEYS;
  return { [certificate]: base64(pair.cert), [key]: base64(pair.key), [signer]: base64(authority.bundle) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
