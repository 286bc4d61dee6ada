import { beforeAll, describe, expect, it } from 'vitest';
import {
  CERTIFICATE_LIFETIME,
  makeAuthority,
  makeServerCertificate,
  type Issuer,
  type KeyPair,
} from '../authority/index.ts';
import type { CertificateFact, Inputs } from './inputs.ts';
import { aBmc, certificate, inputs } from './testing/builders.ts';
import { certificateNames } from './certificate-names.ts';
import { certificateDueIn, certificatePlan, namedProblem } from './certificate.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const dataOf = ({ cert, key }: KeyPair, authority?: KeyPair) => ({
  'tls.crt': base64(cert),
  'tls.key': base64(key),
  ...(authority === undefined ? {} : { 'ca.crt': base64(authority.cert) }),
});

let authority: Issuer;
let other: Issuer;
let own: KeyPair;
let bought: KeyPair;

const ours = (data: Record<string, string>) => ({ standing: 'Ours', uid: 'u', data }) as const;
const found = (data: Record<string, string>) => ({ name: 'cert', state: 'Found', data }) as const;
const given = (fact: Partial<CertificateFact>, more: Partial<Inputs> = {}) =>
  inputs({ certificate: certificate({ held: { standing: 'Absent' }, authority, ...fact }), ...more });
const plan = (fact: Partial<CertificateFact>, now = NOW, more: Partial<Inputs> = {}) =>
  certificatePlan(given(fact, more), now);

const issuer = async (name: string): Promise<Issuer> => {
  const pair = await makeAuthority({ name, lifetime: 10 * CERTIFICATE_LIFETIME, now: NOW });
  return { ...pair, bundle: pair.cert };
};

beforeAll(async () => {
  const lifetime = CERTIFICATE_LIFETIME;
  authority = await issuer('ours');
  other = await issuer('theirs');
  own = await makeServerCertificate(authority, { names: certificateNames(given({})).names, lifetime, now: NOW });
  bought = await makeServerCertificate(other, { names: ['bmc.example'], lifetime: 30 * DAY, now: NOW });
});

describe('the certificate of a BMC', () => {
  it('is issued for a BMC without a certificate once the authority is known', () => {
    expect(plan({})).toMatchObject({ act: 'issue', authority });
    expect(plan({ authority: undefined })).toEqual({ act: 'keep' });
  });

  it('is kept while it is valid', () => {
    expect(plan({ held: ours(dataOf(own, authority)) })).toEqual({ act: 'keep' });
    expect(plan({ held: ours(dataOf(own, authority)) }, NOW + 240 * DAY)).toEqual({ act: 'keep' });
  });

  it('is reissued in the last third of its life', () => {
    const held = ours(dataOf(own, authority));
    expect(plan({ held }, NOW + 250 * DAY).act).toBe('issue');
    const dueIn = certificateDueIn(given({ held }), NOW) ?? 0;
    expect(plan({ held }, NOW + dueIn).act).toBe('issue');
    expect(dueIn / DAY).toBeCloseTo((365 * 2) / 3, 0);
  });

  it.each<[string, () => Parameters<typeof plan>]>([
    ['another address', () => [{ held: ours(dataOf(own, authority)), names: ['192.0.2.7'] }]],
    ['another domain of the cluster', () => [{ held: ours(dataOf(own, authority)), clusterDomain: 'k8s.example' }]],
    ['another authority', () => [{ held: ours(dataOf(own, authority)), authority: other }]],
    ['a key that is not its own', () => [{ held: ours(dataOf({ ...own, key: bought.key }, authority)) }]],
    ['text that is none', () => [{ held: ours({ 'tls.crt': base64('x'), 'tls.key': base64('y') }) }]],
    ['no data', () => [{ held: ours({}) }]],
    ['a BMC that is gone', () => [{ held: { ...ours(dataOf(own, authority)), standing: 'Left' } }]],
    ['a Secret that the spec names no more', () => [{ held: ours(dataOf(bought)) }]],
  ])('is reissued if there is %s', (_, args) => {
    expect(plan(...args()).act).toBe('issue');
  });

  it('is reissued without a name that it may not have any more', async () => {
    const bmc = aBmc({ redfish: { tls: { dnsNames: ['login.bank.example'] } } });
    const names = [...certificateNames(given({})).names, 'login.bank.example'];
    const pair = await makeServerCertificate(authority, { names, lifetime: CERTIFICATE_LIFETIME, now: NOW });
    const held = ours(dataOf(pair, authority));
    const due = plan({ held }, NOW, { bmc });
    expect(due).toMatchObject({ act: 'issue', names: certificateNames(given({})).names });
    expect(plan({ held, allowedDNSSuffixes: ['bank.example'] }, NOW, { bmc })).toEqual({ act: 'keep' });
  });

  it('has its addresses in any notation', async () => {
    const names = ['::ffff:192.0.2.7', 'FD00:0::1', 'LOCALHOST'];
    const all = certificateNames(given({ names })).names;
    const pair = await makeServerCertificate(authority, { names: all, lifetime: CERTIFICATE_LIFETIME, now: NOW });
    expect(plan({ held: ours(dataOf(pair, authority)), names })).toEqual({ act: 'keep' });
  });

  it('is reissued if the clock was ahead when it was issued', () => {
    expect(plan({ held: ours(dataOf(own, authority)) }, NOW - 2 * DAY).act).toBe('issue');
  });

  it('is stored with all trusted authorities, and is not reissued when these change', async () => {
    const successor = { ...authority, bundle: `${authority.cert}${other.cert}` };
    const told = plan({ held: ours(dataOf(own, authority)), authority: successor });
    expect(told).toEqual({ act: 'copy', data: { ...dataOf(own), 'ca.crt': base64(successor.bundle) } });
    const held = ours(told.act === 'copy' ? { ...told.data } : {});
    expect(plan({ held, authority: successor })).toEqual({ act: 'keep' });
    const taken = { ...other, bundle: `${other.cert}${authority.cert}` };
    expect(plan({ held, authority: taken })).toMatchObject({ act: 'issue', authority: taken });
    // Also if it replaces that of an unusable Secret.
    expect(plan({ held, authority: taken, named: found({}) }).act).toBe('issue');
    const theirs = await makeServerCertificate(await issuer('third'), { names: [], lifetime: DAY, now: NOW });
    expect(plan({ held: ours(dataOf(theirs, other)), authority, named: found({}) })).toEqual({ act: 'keep' });
  });

  it('schedules a requeue only if a step becomes due by time', () => {
    const held = ours(dataOf(own, authority));
    expect(certificateDueIn(given({ held }), NOW)).toBeGreaterThan(DAY);
    // A new authority and a written Secret trigger a reconcile themselves.
    expect(certificateDueIn(given({ held, authority: undefined }), NOW)).toBeUndefined();
    expect(certificateDueIn(given({ held, authority: undefined }), NOW + 300 * DAY)).toBeUndefined();
    expect(certificateDueIn(given({ held }), NOW + 300 * DAY)).toBeUndefined();
    expect(
      certificateDueIn(given({ held: ours({ 'tls.crt': base64('x'), 'tls.key': base64('y') }) }), NOW),
    ).toBeUndefined();
  });

  it('is copied from the Secret that the spec names', () => {
    const named = found({ ...dataOf(bought, other), other: 'x' });
    expect(plan({ named })).toEqual({ act: 'copy', data: dataOf(bought, other) });
    expect(plan({ named, held: ours(dataOf(own, authority)) }).act).toBe('copy');
    expect(plan({ named, held: ours(dataOf(bought, other)) })).toEqual({ act: 'keep' });
  });

  it('is kept if that Secret is not usable, even after it has expired', () => {
    const held = ours(dataOf(bought));
    for (const named of [{ name: 'cert', state: 'Missing' } as const, found({})]) {
      expect(plan({ named, held }, NOW + 400 * DAY)).toEqual({ act: 'keep' });
      expect(plan({ named, held: ours(dataOf(own, authority)) })).toEqual({ act: 'keep' });
    }
  });

  it('is issued if that Secret is not usable and no certificate exists', () => {
    expect(plan({ named: found({}) }).act).toBe('issue');
    expect(plan({ named: found({}), held: ours(dataOf(own, authority)) }, NOW + 300 * DAY).act).toBe('issue');
  });

  it('waits until that Secret has been read', () => {
    expect(plan({ named: { name: 'cert', state: 'Unread' } })).toEqual({ act: 'keep' });
  });

  it('is checked when the certificate of the named Secret expires, but not repeatedly', () => {
    const copied = given({ named: found(dataOf(bought)), held: ours(dataOf(bought)) });
    expect((certificateDueIn(copied, NOW) ?? 0) / DAY).toBeCloseTo(30, 0);
    expect(certificateDueIn(copied, NOW + 31 * DAY)).toBeUndefined();
  });

  it('is not written to a Secret of another owner', () => {
    expect(plan({ held: { standing: 'Theirs', owner: 'no BMC' } })).toEqual({ act: 'keep' });
    expect(certificateDueIn(given({ held: { standing: 'Theirs', owner: 'no BMC' } }), NOW)).toBeUndefined();
  });
});

describe("a Secret with a user's certificate", () => {
  const problem = (data: Record<string, string>, now = NOW) => namedProblem(found(data), now);

  it('is usable if it is complete and valid, until it expires', () => {
    expect(problem(dataOf(bought))).toBeUndefined();
    expect(problem(dataOf(bought), NOW + 29 * DAY)).toBeUndefined();
  });

  it.each<[string, () => Parameters<typeof problem>]>([
    ['has no tls.crt and no tls.key', () => [{}]],
    ['has no tls.key', () => [{ 'tls.crt': base64(bought.cert) }]],
    ['holds no certificate in PEM under tls.crt', () => [{ ...dataOf(bought), 'tls.crt': base64('nonsense') }]],
    ['that cannot be read or is not that of the certificate', () => [dataOf({ ...bought, key: own.key })]],
    ['that cannot be read or is not that of the certificate', () => [dataOf({ ...bought, key: 'nonsense' })]],
    ['expired at 2026-01-31T', () => [dataOf(bought), NOW + 31 * DAY]],
    ['not valid before 2025-12-31T', () => [dataOf(bought), NOW - DAY]],
    ['cannot be served', () => [dataOf({ ...bought, cert: `${bought.cert}\n-----BEGIN CERTIFICATE-----\nx\n` })]],
  ])('is reported as unusable: it %s', (text, args) => {
    expect(problem(...args())).toContain(text);
  });
});
