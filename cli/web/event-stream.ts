import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '@groundcrew/controller-runtime';
import type { FeedListener, FleetFeed } from './fleet-feed.ts';
import type { Session } from './sessions.ts';

/** Milliseconds between two comments, by which both sides see that the other is there. */
const BEAT = 15_000;
/** Bytes that may wait for a browser that does not read; it opens the stream again. */
const BACKLOG = 64 * 1024 * 1024;

/** Sends the status and its changes as server-sent events until the browser leaves or its session ends. */
export function streamChanges(response: ServerResponse, feed: FleetFeed, session: Session, clock: Clock): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  const write = (text: string): void => {
    response.write(text);
    if (response.writableLength > BACKLOG) response.destroy();
  };
  const send = (event: string, data: object): void => {
    write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const listener: FeedListener = {
    status: (overview) => {
      send('status', overview);
    },
    change: (change) => {
      send('change', change);
    },
    lost: (message) => {
      send('lost', { message });
    },
    found: () => {
      send('found', {});
    },
  };
  let timer: Timer;
  const beat = (): void => {
    timer = clock.setTimeout(() => {
      session.touch();
      write(': here\n\n');
      beat();
    }, BEAT);
  };
  const onEnd = (): void => {
    // Else the browser would try again first.
    send('end', {});
    response.end();
  };
  beat();
  response.flushHeaders();
  const leave = feed.subscribe(listener);
  session.signal.addEventListener('abort', onEnd, { once: true });
  response.once('close', () => {
    leave();
    timer.cancel();
    session.signal.removeEventListener('abort', onEnd);
  });
}
