import type { Overview } from '../../../cli/status/overview.ts';
import { applyChange, type OverviewChange } from '../../../cli/status/overview-changes.ts';
import { oneForAll } from './one-for-all.ts';
import { NO_ANSWER, reasonOf } from './session.ts';

/** What the page knows of the cluster. */
export interface Fleet {
  /** Undefined: not read yet. */
  readonly overview: Overview | undefined;
  /** Changes arrive. */
  readonly isLive: boolean;
  /** Why what is shown may be old. */
  readonly lost: string | undefined;
}

/** Why changes no longer arrive. */
export interface End {
  /** The session has ended, or there was none. */
  readonly isLocked: boolean;
  readonly message: string;
}

/** What the server sends, by the name of the event. */
interface Sent {
  status: Overview;
  change: OverviewChange;
  /** The API server does not answer, or does not know the user, and why. */
  lost: { message: string };
  /** It answers again. */
  found: unknown;
  /** The session has ended. */
  end: unknown;
}

/** What the pages tell each other. */
type Message =
  | { readonly is: 'status'; readonly overview: Overview }
  | { readonly is: 'change'; readonly change: OverviewChange }
  | { readonly is: 'lost'; readonly why: string }
  | { readonly is: 'found' }
  | { readonly is: 'end'; readonly end: End };

interface Listener {
  changed: (fleet: Fleet) => void;
  ended: (end: End) => void;
}

/**
 * Follows the status of the cluster until the session ends. A browser has six connections to a server, so all of its pages
 * share one stream.
 *
 * @returns stops it
 */
export function follow({ changed, ended }: Listener): () => void {
  let fleet: Fleet = { overview: undefined, isLive: false, lost: undefined };
  const set = (part: Partial<Fleet>): void => {
    fleet = { ...fleet, ...part };
    changed(fleet);
  };
  const stop = oneForAll<Message>('status', {
    lead,
    hear: (message) => {
      switch (message.is) {
        case 'status':
          set({ overview: message.overview, isLive: true, lost: undefined });
          break;
        case 'change':
          if (fleet.overview !== undefined) set({ overview: applyChange(fleet.overview, message.change) });
          break;
        case 'lost':
          set({ isLive: false, lost: message.why });
          break;
        case 'found':
          set({ isLive: true, lost: undefined });
          break;
        case 'end':
          stop();
          ended(message.end);
      }
    },
    recall: () => {
      const { overview, lost } = fleet;
      return [
        ...(overview === undefined ? [] : [{ is: 'status', overview } as const]),
        ...(lost === undefined ? [] : [{ is: 'lost', why: lost } as const]),
      ];
    },
  });
  return stop;
}

/** Tells what the server sends, and why it sends no more. */
async function lead(tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const isRefused = await readStream(tell, signal);
    if (!isRefused) continue;
    tell({ is: 'end', end: await reasonOfEnd() });
    return;
  }
}

/**
 * Tells what one stream brings, which begins with the whole status. The browser opens it again by itself when it breaks.
 *
 * @returns whether the server refuses to open it, when that is so or the session of the stream has ended
 */
async function readStream(tell: (message: Message) => void, signal: AbortSignal): Promise<boolean> {
  const source = new EventSource('api/changes');
  // The server is of the same build as the page, so the data need no check.
  const on = <Name extends keyof Sent>(name: Name, take: (data: Sent[Name]) => void): void => {
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      take(JSON.parse(data) as Sent[Name]);
    });
  };
  on('status', (overview) => {
    tell({ is: 'status', overview });
  });
  on('change', (change) => {
    tell({ is: 'change', change });
  });
  on('lost', ({ message }) => {
    tell({ is: 'lost', why: `${message.replace(/\.$/, '')}.` });
  });
  on('found', () => {
    tell({ is: 'found' });
  });
  try {
    return await new Promise<boolean>((resolve) => {
      on('end', () => {
        // Another session may have begun since.
        resolve(false);
      });
      source.addEventListener('error', () => {
        if (source.readyState === EventSource.CLOSED) resolve(true);
        else tell({ is: 'lost', why: NO_ANSWER });
      });
      signal.addEventListener('abort', () => {
        resolve(false);
      });
    });
  } finally {
    source.close();
  }
}

/** An EventSource does not say why it was refused. */
async function reasonOfEnd(): Promise<End> {
  const answer = await fetch('api/status').catch(() => undefined);
  if (answer === undefined || answer.ok) return { isLocked: false, message: NO_ANSWER };
  return { isLocked: answer.status === 401, message: await reasonOf(answer) };
}
