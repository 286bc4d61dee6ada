const SCHEME = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;
const COLON = 0x3a;

interface BasicCredentials {
  readonly userName: string;
  /** As bytes: the character set is not defined (RFC 7617 §2.1). */
  readonly password: Buffer;
}

/** Parses an `Authorization` header of the Basic scheme (RFC 7617); undefined: another scheme, or malformed. */
export function basicCredentials(header: string): BasicCredentials | undefined {
  const encoded = SCHEME.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64');
  const colon = decoded.indexOf(COLON);
  if (colon === -1) return undefined;
  return { userName: decoded.toString('utf8', 0, colon), password: decoded.subarray(colon + 1) };
}
