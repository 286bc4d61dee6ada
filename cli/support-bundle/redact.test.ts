import { describe, expect, it } from 'vitest';
import { cleaned, REDACTED, redactor } from './redact.ts';

function secret(data: Record<string, string>, type = 'Opaque') {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const metadata = { namespace: 'vms', name: 'creds' };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    type,
    data: Object.fromEntries(encoded) as Record<string, string>,
  };
}

const PASSWORD = 'two "words" & more';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a value of a Secret', () => {
  it.each([
    ['as it is', `user admin ${PASSWORD}.`],
    ['in JSON', JSON.stringify({ note: PASSWORD })],
    ['in a URL', `https://host/?q=${encodeURIComponent(PASSWORD)}`],
    ['in base64', base64(PASSWORD)],
  ])('is redacted %s', (_how, text) => {
    const result = redactor([secret({ username: 'administrator', password: PASSWORD })])(text);
    expect(result).toContain(REDACTED);
    for (const spelling of [PASSWORD, JSON.stringify(PASSWORD).slice(1, -1), base64(PASSWORD)])
      expect(result).not.toContain(spelling);
  });

  it('is redacted if it is in JSON in the Secret, as the passwords of a BMC are', () => {
    const accounts = JSON.stringify([{ name: 'joan-of-arc', password: base64('another password') }]);
    const redact = redactor([secret({ accounts })]);
    expect(redact('another password of joan-of-arc')).toBe(`${REDACTED} of joan-of-arc`);
  });

  it('is redacted line by line if it is a key', () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';
    const key = `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`;
    expect(redactor([secret({ 'tls.key': key })])(`at ${line}`)).toBe(`at ${REDACTED}`);
  });

  it('is left if it is the name of a user or a certificate, or too short to be told from a word', () => {
    const redact = redactor([secret({ username: 'administrator', password: 'secret', 'tls.crt': 'certificate' })]);
    expect(redact('administrator secret certificate')).toBe('administrator secret certificate');
  });
});

it.each([
  ['eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl of a token', `${REDACTED} of a token`],
  ['Authorization: Basic YWRtaW46c2VjcmV0', `Authorization: ${REDACTED}`],
  ['{"x-auth-token":"abcdef0123"}', `{"x-auth-token":"${REDACTED}"}`],
  ['"https://joan:hush@images.example/a.iso"', `"https://${REDACTED}@images.example/a.iso"`],
  ['"https://images.example/a.iso?sig=hush"', `"https://images.example/a.iso?${REDACTED}"`],
  ['-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----!', `${REDACTED}!`],
])('redacts what has the form of a secret: %s', (text, result) => {
  expect(redactor([])(text)).toBe(result);
});

it('removes scripts of cloud-init, environments and what clients left from an object', () => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' };
  const object = {
    metadata: { name: 'web', annotations, managedFields: [{ manager: 'kubectl' }] },
    spec: {
      volumes: [{ name: 'init', cloudInitNoCloud: { userData: 'password: hush', secretRef: { name: 'x' } } }],
      containers: [
        {
          env: [
            { name: 'A', value: 'hush' },
            { name: 'B', valueFrom: {} },
          ],
        },
      ],
    },
  };
  expect(cleaned(object)).toEqual({
    metadata: { name: 'web', annotations: { kept: 'yes' } },
    spec: {
      volumes: [{ name: 'init', cloudInitNoCloud: { userData: REDACTED, secretRef: { name: 'x' } } }],
      containers: [
        {
          env: [
            { name: 'A', value: REDACTED },
            { name: 'B', valueFrom: {} },
          ],
        },
      ],
    },
  });
});
