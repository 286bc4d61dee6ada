/** Finds the key in a link that `groundcrew web` prints; the key alone is accepted, too. Returns '' for any other text. */
export function keyIn(text: string): string {
  return /(?:^|#key=)([\w-]+)$/.exec(text.trim())?.[1] ?? '';
}

/**
 * Takes the key out of the address, so that it is neither kept in the history nor sent to anyone.
 *
 * @returns '' if the address has no key
 */
export function takeKey(): string {
  if (!location.hash.startsWith('#key=')) return '';
  const key = keyIn(location.hash);
  history.replaceState(undefined, '', location.pathname);
  return key;
}

/**
 * Exchanges the key for a cookie.
 *
 * @throws Error with a message for people
 */
export async function openSession(key: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch('session', { method: 'POST', headers, body: JSON.stringify({ key }) }).catch(() => {
    throw new Error(NO_ANSWER);
  });
  if (!answer.ok) throw new Error(await reasonOf(answer));
}

/** Deletes the session. Without an answer the session ends by itself. */
export async function endSession(): Promise<void> {
  await fetch('session', { method: 'DELETE' }).catch(() => undefined);
}

export const NO_ANSWER = 'groundcrew web does not answer. See whether it still runs in its terminal.';

/** The sentence of a refusal. */
export async function reasonOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined);
  const isTold = typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
  return isTold ? String(body.error) : `groundcrew web answered ${answer.status}.`;
}
