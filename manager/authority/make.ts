import type { AuthorityParts, ServerParts } from './issue.ts';
import type { KeyPair } from './key-pair.ts';

/** Makes a certificate authority. What makes certificates is loaded when one is due: most processes read them alone. */
export async function makeAuthority(parts: AuthorityParts): Promise<KeyPair> {
  return await (await import('./issue.ts')).createAuthority(parts);
}

/** Issues the certificate of a server. */
export async function makeServerCertificate(authority: KeyPair, parts: ServerParts): Promise<KeyPair> {
  return await (await import('./issue.ts')).issueServerCertificate(authority, parts);
}
