const UNTRUSTED = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
];
const VERIFICATION = 'tls: failed to verify certificate: x509:';

/** What Go says of a request that failed on the way, for an error of node's. `address`: host and port that were dialled. */
export function goError(error: unknown, address: string): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNTRUSTED.includes(code)) return `${VERIFICATION} certificate signed by unknown authority`;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`;
    case 'EHOSTUNREACH':
      return `dial tcp ${address}: connect: no route to host`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${address.replace(/:\d+$/, '')}: no such host`;
    case 'ECONNRESET':
      return 'EOF';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${VERIFICATION} certificate has expired or is not yet valid`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${VERIFICATION} ${nameProblem(error)}`;
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return 'http: server gave HTTP response to HTTPS client';
    default:
      return error.message;
  }
}

/** Node's error holds the name that was looked for, and the certificate's names as `DNS:a, IP Address:b`. */
function nameProblem(error: Error): string {
  const { host = '', cert } = error as Error & { host?: string; cert?: { subjectaltname?: string } }; // ERR_TLS_CERT_ALTNAME_INVALID has both
  const isAddress = /^[\d.]+$|:/.test(host);
  const names = (cert?.subjectaltname ?? '')
    .split(', ')
    .filter((name) => name.startsWith(isAddress ? 'IP Address:' : 'DNS:'))
    .map((name) => name.slice(name.indexOf(':') + 1));
  if (names.length > 0) return `certificate is valid for ${names.join(', ')}, not ${host}`;
  return isAddress
    ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${host}`;
}
