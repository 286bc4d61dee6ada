import { text } from 'node:stream/consumers';
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
  /** Ends the watch when this is true for the received events. Default: the watch runs until the server ends it. */
  until?: (events: WatchEvent[]) => boolean;
  /** Default `application/json`. */
  accept?: string;
}

/**
 * Opens a watch and resolves with its events. A path without `timeoutSeconds` gets 20, so that each watch ends. Rejects
 * if the watch is refused, as by a real server while the cache of a kind is being filled.
 */
export type Watch = (path: string, options?: WatchOptions) => Promise<WatchEvent[]>;

/** Raw watches with the administrator's credentials. */
export function watchOver(transport: Transport): Watch {
  return async (path, { until, accept = 'application/json' } = {}) => {
    const bounded = path.includes('timeoutSeconds=') ? path : `${path}&timeoutSeconds=20`;
    const response = await transport.request({ method: 'GET', path: bounded, headers: { accept } });
    if (response.status !== 200) throw new Error(`${response.status} for ${bounded}: ${await text(response.body)}`);
    const events: WatchEvent[] = [];
    let rest = '';
    for await (const chunk of response.body) {
      const lines = (rest + Buffer.from(chunk).toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') continue;
        events.push(JSON.parse(line) as WatchEvent); // Anything else from the server makes the test fail.
        if (until?.(events) === true) return events;
      }
    }
    return events;
  };
}
