import { createHmac } from 'node:crypto';

/**
 * What makes the ETag of a resource another one as soon as a secret of it is. It tells nothing of the secret, which whoever may read
 * the ETag could else guess without being held back: the key is this process's own.
 */
export function secretRevisions(random: (size: number) => Buffer): (secret: string | Buffer) => string {
  const key = random(32);
  return (secret) => createHmac('sha256', key).update(secret).digest('base64url');
}
