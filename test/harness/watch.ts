import type { Transport } from '@groundcrew/controller-runtime';

/** One line of a watch. */
export interface WatchEvent {
  type: string;
  object: {
    kind?: string;
    apiVersion?: string;
    metadata: { name?: string; resourceVersion?: string; annotations?: Record<string, string> };
    [key: string]: unknown;
  };
}

export interface WatchOptions {
  /** Ends the watch as soon as this is true of what has come. Default: it goes on until the server ends it. */
  until?: (events: WatchEvent[]) => boolean;
  /** Default `application/json`. */
  accept?: string;
}

/**
 * Opens a watch and resolves with its events; a path without `timeoutSeconds` is given 20, so that each one ends.
 * Rejects where it is refused, as a real server does while a kind's cache is being filled.
 */
export type Watch = (path: string, options?: WatchOptions) => Promise<WatchEvent[]>;

/** Watches as they stand, with the administrator's credentials. */
export function watchOver(transport: Transport): Watch {
  return async (path, { until, accept = 'application/json' } = {}) => {
    const bounded = path.includes('timeoutSeconds=') ? path : `${path}&timeoutSeconds=20`;
    const response = await transport.request({ method: 'GET', path: bounded, headers: { accept } });
    if (response.status !== 200) throw new Error(`${response.status} for ${bounded}: ${await textOf(response.body)}`);
    const events: WatchEvent[] = [];
    let rest = '';
    for await (const chunk of response.body) {
      const lines = (rest + Buffer.from(chunk).toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') continue;
        events.push(JSON.parse(line) as WatchEvent); // A server under test sends these, or the test fails.
        if (until?.(events) === true) return events;
      }
    }
    return events;
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
