import { describe, expect, it } from 'vitest';
import { goError } from './go-error.ts';

const failure = (code: string, more: object = {}) => Object.assign(new Error('as node says it'), { code, ...more });
const x509 = 'tls: failed to verify certificate: x509:';

describe('an error of node’s, in Go’s words', () => {
  it.each([
    [failure('ECONNREFUSED'), 'dial tcp 10.0.0.1:443: connect: connection refused'],
    [failure('EHOSTUNREACH'), 'dial tcp 10.0.0.1:443: connect: no route to host'],
    [failure('ENOTFOUND'), 'dial tcp: lookup 10.0.0.1: no such host'],
    [failure('ECONNRESET'), 'EOF'],
    [failure('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), `${x509} certificate signed by unknown authority`],
    [failure('CERT_HAS_EXPIRED'), `${x509} certificate has expired or is not yet valid`],
    [failure('EPROTO'), 'http: server gave HTTP response to HTTPS client'],
    [
      failure('ERR_TLS_CERT_ALTNAME_INVALID', {
        host: 'a.svc',
        cert: { subjectaltname: 'DNS:b.svc, IP Address:1.2.3.4, DNS:c.svc' },
      }),
      `${x509} certificate is valid for b.svc, c.svc, not a.svc`,
    ],
    [
      failure('ERR_TLS_CERT_ALTNAME_INVALID', { host: '127.0.0.1', cert: { subjectaltname: 'DNS:b.svc' } }),
      `${x509} cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs`,
    ],
    [
      failure('ERR_TLS_CERT_ALTNAME_INVALID', { host: 'a.svc', cert: {} }),
      `${x509} certificate is not valid for any names, but wanted to match a.svc`,
    ],
    [failure('EWHATEVER'), 'as node says it'],
    [new Error('plain'), 'plain'],
    ['no error at all', 'no error at all'],
  ])('%s', (error, text) => {
    expect(goError(error, '10.0.0.1:443')).toBe(text);
  });
});
