import type { KeyPair } from '@groundcrew/controller-runtime/certificates';

interface Validity {
  /** Milliseconds. */
  lifetime: number;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Creates a certificate authority. The code that issues certificates is loaded on demand, since most processes never
 * need it.
 *
 * @param name common name; the date is appended
 */
export async function makeAuthority({ name, ...period }: Validity & { name: string }): Promise<KeyPair> {
  const { createAuthority } = await import('@groundcrew/controller-runtime/certificates');
  // Authorities are identified by their key identifiers; the date is for readers.
  const subject = `CN=${name} ${new Date(period.now).toISOString().slice(0, 10)}`;
  return await createAuthority({ subject, ...period });
}

/**
 * Issues the certificate of a server.
 *
 * @param names DNS names and addresses; the first is the common name
 */
export async function makeServerCertificate(
  authority: KeyPair,
  { names, ...period }: Validity & { names: readonly string[] },
): Promise<KeyPair> {
  const { issueCertificate } = await import('@groundcrew/controller-runtime/certificates');
  const subject = `CN=${names[0] ?? 'groundcrew'}`;
  return await issueCertificate(authority, { subject, usage: 'server', names, ...period });
}
