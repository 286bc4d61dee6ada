import { createHmac } from 'node:crypto';

/**
 * Changes the ETag of a resource when one of its secrets changes. The key is private to the process, so that the secret cannot be
 * guessed from the ETag.
 */
export function secretRevisions(random: (size: number) => Buffer): (secret: string | Buffer) => string {
  const key = random(32);
  return (secret) => createHmac('sha256', key).update(secret).digest('base64url');
}
