import 'reflect-metadata';
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAuthority, issueServerCertificate, type KeyPair } from '@groundcrew/controller-runtime/certificates';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import type { VirtualMachineBMCSpec } from '../../../api/index.ts';
import type { HttpsState } from '../state/bmc-state.ts';
import { aBmc } from '../testing/builders.ts';
import { ClientCertificate } from './client-certificate.ts';

const HOUR = 3_600_000;
const CONTENTS = { subject: [['CN', 'bmc']], names: ['bmc.example'], key: 'P-256' } as const;

let clock: FakeClock;
let spec: VirtualMachineBMCSpec;
let stored: Partial<HttpsState>;
/** Common names of the certificates that Redfish has shown. */
let shown: (string | undefined)[];

beforeEach(() => {
  clock = new FakeClock(Date.UTC(2026, 5, 1));
  spec = aBmc().spec;
  stored = {};
  shown = [];
});

function anAgent(): ClientCertificate {
  const agent = new ClientCertificate({
    bmc: () => aBmc({ spec }),
    state: {
      current: () => stored,
      change: (edit) => {
        stored = { ...stored, ...edit(stored) };
        return Promise.resolve();
      },
    },
    clock,
    show: () => {
      shown.push(subjectOf(agent.current?.cert));
      return Promise.resolve();
    },
  });
  return agent;
}

function subjectOf(cert: string | undefined): string | undefined {
  return cert === undefined ? undefined : new X509Certificate(cert).subject;
}

/** A certificate for the key of the last request. */
async function certified(name: string, from = clock.now()): Promise<string> {
  const { requestedKey: key = '' } = stored;
  return (await createAuthority({ subject: `CN=${name}`, key, now: from, lifetime: 24 * HOUR })).cert;
}

async function issued(): Promise<KeyPair & { ca: string }> {
  return await issueServerCertificate({ names: ['bmc'], now: clock.now() });
}

describe('the certificate of a client', () => {
  it('has the key of the last request, which outlives the agent', async () => {
    expect(await anAgent().request(CONTENTS)).toContain('BEGIN CERTIFICATE REQUEST');
    const agent = anAgent();
    expect(agent.current).toBeUndefined();
    await agent.replace(await certified('first'));
    await agent.replace(await certified('renewed'));
    expect(shown).toEqual(['CN=first', 'CN=renewed']);
    const { cert = '', key = '', expiresAt } = anAgent().current ?? {};
    expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(expiresAt).toBe('2026-06-02T00:00:00.000Z');
  });

  it('may bring its key and the certificates of its issuers', async () => {
    const [agent, { cert, key, ca }] = [anAgent(), await issued()];
    const encrypted = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'pw' } as const;
    const locked = createPrivateKey(key).export(encrypted);
    await expect(agent.replace(cert + locked, 'wrong')).rejects.toMatchObject({ code: 'NotSupported' });
    await agent.replace(`${cert}\n${ca}\n${locked}`, 'pw');
    expect(agent.current?.cert.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(agent.current?.key).not.toContain('ENCRYPTED');
  });

  it.each([
    ['P-384', { namedCurve: 'secp384r1' }],
    [2048, { modulusLength: 2048 }],
  ] as const)('is requested for a key %s and any name', async (key, details) => {
    const subject = [
      ['C', 'DE'],
      ['O', '#1 "Größe", Inc.'],
    ] as const;
    const request = new Pkcs10CertificateRequest(await anAgent().request({ subject, names: ['192.0.2.9'], key }));
    expect(await request.verify(webcrypto)).toBe(true);
    expect(request.subjectName.getField('O')).toEqual(['#1 "Größe", Inc.']);
    expect(createPrivateKey(stored.requestedKey ?? '').asymmetricKeyDetails).toMatchObject(details);
  });

  it('ends when it expires', async () => {
    const agent = anAgent();
    await agent.request(CONTENTS);
    await agent.replace(await certified('bmc'));
    clock.set(24 * HOUR);
    expect(agent.current).toBeUndefined();
  });

  it('yields to the one that the owner of the BMC names', async () => {
    const agent = anAgent();
    await agent.request(CONTENTS);
    await agent.replace(await certified('bmc'));
    spec = { ...spec, redfish: { tls: { secretRef: { name: 'bought' } } } };
    expect(agent.current).toBeUndefined();
    const refusal = { code: 'InvalidState', message: expect.stringContaining('Secret bought') as string };
    await expect(agent.request(CONTENTS)).rejects.toMatchObject(refusal);
    await expect(agent.replace(await certified('bmc'))).rejects.toMatchObject(refusal);
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['a text', () => Promise.resolve('hello'), /1 to 10 certificates in PEM/],
    [
      'a damaged certificate',
      () => Promise.resolve('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'),
      /certificate 1 cannot be read/,
    ],
    ['a certificate of another key', async () => (await issued()).cert, /last GenerateCSR/],
    ['an expired certificate', () => certified('old', clock.now() - 72 * HOUR), /expired at 2026-05-30/],
    ['a certificate of tomorrow', () => certified('new', clock.now() + 25 * HOUR), /not valid before 2026-06-02/],
    [
      'a chain of others',
      async () => (await certified('bmc')) + (await issued()).ca,
      /certificate 2 has not issued certificate 1/,
    ],
    [
      'a chain in the wrong order',
      async () => {
        const { ca, cert, key } = await issued();
        return ca + cert + key;
      },
      /certificate 2 has not issued certificate 1/,
    ],
  ])('is not replaced by %s', async (_what, given, why) => {
    const agent = anAgent();
    await agent.request(CONTENTS);
    await agent.replace(await certified('bmc'));
    const refusal = { code: 'NotSupported', message: expect.stringMatching(why) as string };
    await expect(agent.replace(await given())).rejects.toMatchObject(refusal);
    expect(subjectOf(agent.current?.cert)).toBe('CN=bmc');
  });

  it('is refused without a word of its key', async () => {
    const { cert, key } = await issued();
    const damaged = key.replace(/\n.{8}/, '\nAAAAAAAA');
    const refused = await anAgent()
      .replace(cert + damaged)
      .catch((error: unknown) => error);
    expect(String(refused)).toContain('private key cannot be read');
    expect(refused).not.toHaveProperty('cause');
  });
});
