import type { Overview } from '../../../cli/status/overview.ts';
import { applyChange, type OverviewChange } from '../../../cli/status/overview-changes.ts';
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
interface Messages {
  status: Overview;
  change: OverviewChange;
  /** The API server does not answer, and why. */
  lost: { message: string };
  /** It answers again. */
  found: unknown;
}

interface Listener {
  changed: (fleet: Fleet) => void;
  ended: (end: End) => void;
}

/**
 * Follows the status of the cluster until the session ends. The browser connects again by itself; each connection
 * begins with the whole status.
 *
 * @returns stops it
 */
export function follow({ changed, ended }: Listener): () => void {
  let fleet: Fleet = { overview: undefined, isLive: false, lost: undefined };
  const set = (part: Partial<Fleet>): void => {
    fleet = { ...fleet, ...part };
    changed(fleet);
  };
  const source = new EventSource('api/changes');
  // The server is of the same build as the page, so the data need no check.
  const on = <Name extends keyof Messages>(name: Name, take: (data: Messages[Name]) => void): void => {
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      take(JSON.parse(data) as Messages[Name]);
    });
  };
  on('status', (overview) => {
    set({ overview, isLive: true, lost: undefined });
  });
  on('change', (change) => {
    if (fleet.overview !== undefined) set({ overview: applyChange(fleet.overview, change) });
  });
  on('lost', ({ message }) => {
    set({ isLive: false, lost: `The API server does not answer: ${message.replace(/\.$/, '')}.` });
  });
  on('found', () => {
    set({ isLive: true, lost: undefined });
  });
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) void reasonOfEnd().then(ended);
    // The browser tries again.
    else set({ isLive: false, lost: NO_ANSWER });
  });
  return () => {
    source.close();
  };
}

/** An EventSource does not say why it was refused. */
async function reasonOfEnd(): Promise<End> {
  const answer = await fetch('api/status').catch(() => undefined);
  if (answer === undefined || answer.ok) return { isLocked: false, message: NO_ANSWER };
  return { isLocked: answer.status === 401, message: await reasonOf(answer) };
}
