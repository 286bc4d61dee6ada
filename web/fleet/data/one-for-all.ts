interface Work<Message> {
  /** What is done in one page at a time. Once it resolves, another page does it. */
  lead: (tell: (message: Message) => void, signal: AbortSignal) => Promise<void>;
  /** A message of the page that leads; that page hears its own. */
  hear: (message: Message) => void;
  /** What a page that comes later has to hear first, asked of the page that leads. */
  recall: () => readonly Message[];
}

/**
 * Does something in one of the pages that a browser has of this server, and lets all of them know. If that page is closed,
 * the next one leads.
 *
 * @param name of the work
 * @returns ends it for this page
 */
export function oneForAll<Message>(name: string, { lead, hear, recall }: Work<Message>): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const channel = new BroadcastChannel(name);
  let isLeading = false;
  const tell = (message: Message): void => {
    if (signal.aborted) return;
    channel.postMessage(message);
    hear(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Message | typeof NEWCOMER>) => {
    if (data !== NEWCOMER) hear(data);
    else if (isLeading) for (const message of recall()) channel.postMessage(message);
  };
  channel.postMessage(NEWCOMER);
  navigator.locks
    .request(name, { signal }, async () => {
      isLeading = true;
      await lead(tell, signal);
    })
    // Ended before it led.
    .catch(() => undefined);
  return () => {
    stop.abort();
    channel.close();
  };
}

const NEWCOMER = 'newcomer';
