import { describe, expect, it } from 'vitest';
import { goErrorText } from './go-error.ts';

const url = new URL('https://10.0.0.1/a.iso');
const named = new URL('http://files.example/a.iso');

function error(code: string, more: object = {}): Error {
  return Object.assign(new Error(`node says ${code}`), { code, ...more });
}

describe('Go says', () => {
  it.each([
    [
      'of a closed port',
      error('ECONNREFUSED', { address: '10.0.0.1', port: 443 }),
      url,
      'dial tcp 10.0.0.1:443: connect: connection refused',
    ],
    ['of no route', error('EHOSTUNREACH'), url, 'dial tcp 10.0.0.1:443: connect: no route to host'],
    ['of a silent host', error('ETIMEDOUT'), named, 'dial tcp files.example:80: i/o timeout'],
    [
      'of no such name',
      error('ENOTFOUND', { hostname: 'files.example' }),
      named,
      'dial tcp: lookup files.example: no such host',
    ],
    ['of a name server that fails', error('EAI_AGAIN'), named, 'dial tcp: lookup files.example: server misbehaving'],
    [
      'of an unknown authority',
      error('SELF_SIGNED_CERT_IN_CHAIN'),
      url,
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ],
    [
      'of an old certificate',
      error('CERT_HAS_EXPIRED'),
      url,
      'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
    ],
    [
      'of a certificate for another name',
      error('ERR_TLS_CERT_ALTNAME_INVALID', { cert: { subjectaltname: 'DNS:a.example, DNS:b.example' } }),
      new URL('https://c.example/'),
      'tls: failed to verify certificate: x509: certificate is valid for a.example, b.example, not c.example',
    ],
    [
      'of a certificate for names alone',
      error('ERR_TLS_CERT_ALTNAME_INVALID', { cert: { subjectaltname: 'DNS:a.example' } }),
      url,
      "tls: failed to verify certificate: x509: cannot validate certificate for 10.0.0.1 because it doesn't contain any IP SANs",
    ],
    [
      'of a certificate for nobody',
      error('ERR_TLS_CERT_ALTNAME_INVALID'),
      new URL('https://c.example/'),
      'tls: failed to verify certificate: x509: certificate is not valid for any names, but wanted to match c.example',
    ],
    [
      'of several addresses what the first has met',
      new AggregateError([error('ECONNREFUSED', { address: '::1', port: 80 })]),
      named,
      'dial tcp ::1:80: connect: connection refused',
    ],
    ['of what it does not know what Node says', error('EWHAT'), url, 'node says EWHAT'],
    ['of what is no error what it is', 'odd', url, 'odd'],
  ])('%s', (_what, thrown, at, text) => {
    expect(goErrorText(thrown, at)).toBe(text);
  });
});
