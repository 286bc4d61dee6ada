import { expect, it } from 'vitest';
import type { Secret } from '@groundcrew/controller-runtime';
import { certificateIn, certificatesIn } from './redfish-service.ts';

const secret = (data: Record<string, string>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a-tls' },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
});

it('reads a certificate and its key', () => {
  expect(certificateIn(secret({ 'tls.crt': 'C', 'tls.key': 'K', 'ca.crt': 'A' }))).toEqual({ cert: 'C', key: 'K' });
});

it.each([undefined, secret({}), secret({ 'tls.crt': 'C' }), secret({ 'tls.crt': '', 'tls.key': 'K' })])(
  'finds none where one of both is missing',
  (given) => {
    expect(certificateIn(given)).toBeUndefined();
  },
);

it('tells the certificates of a chain apart', () => {
  const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
  expect(certificatesIn(`${pem('AAAA')}\n${pem('BBBB')}\n`)).toEqual([pem('AAAA'), pem('BBBB')]);
  expect(certificatesIn('')).toEqual([]);
});
