import type { AuthorityParts, ServerParts } from './issue.ts';
import type { KeyPair } from './key-pair.ts';

/** Creates a certificate authority. The code that issues certificates is loaded on demand, since most processes never need it. */
export async function makeAuthority(parts: AuthorityParts): Promise<KeyPair> {
  return await (await import('./issue.ts')).createAuthority(parts);
}

/** Issues the certificate of a server. */
export async function makeServerCertificate(authority: KeyPair, parts: ServerParts): Promise<KeyPair> {
  return await (await import('./issue.ts')).issueServerCertificate(authority, parts);
}
