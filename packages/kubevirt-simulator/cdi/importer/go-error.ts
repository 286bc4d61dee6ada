/** An error of node:net, node:tls, node:dns or node:http. */
interface SystemError extends Error {
  code?: string;
  address?: string;
  port?: number;
  host?: string;
  hostname?: string;
  cert?: { subjectaltname?: string; valid_to?: string };
  reason?: string;
}

/** What Go's net/http says where Node says `error`: CDI's importer is written in Go, and its messages hold Go's. */
export function goErrorText(error: unknown, url: URL): string {
  // Of the addresses of one name, the first tells.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  const system = first as SystemError;
  return (BY_CODE[system.code ?? ''] ?? ((): string => system.message))(system, url);
}

type Text = (error: SystemError, url: URL) => string;

const UNKNOWN_AUTHORITY: Text = () => x509('certificate signed by unknown authority');

const BY_CODE: Readonly<Record<string, Text>> = {
  ECONNREFUSED: (error, url) => dial(error, url, 'connect: connection refused'),
  EHOSTUNREACH: (error, url) => dial(error, url, 'connect: no route to host'),
  ENETUNREACH: (error, url) => dial(error, url, 'connect: network is unreachable'),
  ETIMEDOUT: (error, url) => dial(error, url, 'i/o timeout'),
  ENOTFOUND: (error, url) => `dial tcp: lookup ${error.hostname ?? url.hostname}: no such host`,
  EAI_AGAIN: (error, url) => `dial tcp: lookup ${error.hostname ?? url.hostname}: server misbehaving`,
  ECONNRESET: () => 'EOF',
  ABORT_ERR: () => 'context canceled',
  // OpenSSL read a plain answer as a TLS record.
  EPROTO: () => 'http: server gave HTTP response to HTTPS client',
  ERR_SSL_WRONG_VERSION_NUMBER: () => 'http: server gave HTTP response to HTTPS client',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: () => 'http: server gave HTTP response to HTTPS client',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: () => x509('certificate has expired or is not yet valid'),
  CERT_NOT_YET_VALID: () => x509('certificate has expired or is not yet valid'),
  ERR_TLS_CERT_ALTNAME_INVALID: (error, url) => x509(otherName(error, url)),
};

function dial({ address, port }: SystemError, url: URL, what: string): string {
  const where = `${address ?? url.hostname}:${port ?? (url.port === '' ? defaultPort(url) : url.port)}`;
  return `dial tcp ${where}: ${what}`;
}

function defaultPort(url: URL): string {
  return url.protocol === 'https:' ? '443' : '80';
}

function x509(what: string): string {
  return `tls: failed to verify certificate: x509: ${what}`;
}

/** crypto/x509's HostnameError: it names what the certificate is for. */
function otherName({ cert }: SystemError, url: URL): string {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const names = (cert?.subjectaltname ?? '').split(', ');
  const of = (kind: string): string[] =>
    names.filter((name) => name.startsWith(`${kind}:`)).map((name) => name.slice(kind.length + 1));
  const isAddress = /^[0-9.]+$/.test(host) || host.includes(':');
  const valid = isAddress ? of('IP Address') : of('DNS');
  if (valid.length > 0) return `certificate is valid for ${valid.join(', ')}, not ${host}`;
  return isAddress
    ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${host}`;
}
