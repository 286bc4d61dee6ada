import type { Client } from './client.ts';
import { type SseMessage, SseParser } from './sse-parser.ts';
import { EVENTS } from './uris.ts';
import { inStreamSlot } from './stream-slot.ts';
import { untilShown, whileShown } from './visibility.ts';

/** An event record of the BMC. */
export interface BmcEvent {
  readonly EventType: string;
  readonly Message?: string;
  readonly OriginOfCondition?: { readonly '@odata.id': string };
}

/** ms between attempts to open the stream: doubled up to the second value. */
const WAIT = [1_000, 30_000] as const;
/** ms without a byte after which the connection counts as lost. The BMC sends a comment every 15 s. */
const SILENCE = 45_000;
/** ms after which a hidden page closes its stream, so that others have one. */
const HIDDEN = 10_000;

export interface EventListener {
  event(event: BmcEvent): void;
  /** Whether changes arrive by themselves. */
  live(isLive: boolean): void;
}

/** Reads the BMC's events until the signal while the page is to be seen, and opens the stream again whenever it breaks. */
export async function listen(
  client: Pick<Client, 'open'>,
  listener: EventListener,
  signal: AbortSignal,
): Promise<void> {
  let wait: number = WAIT[0];
  let lastId: string | undefined;
  const read = async (outer: AbortSignal): Promise<void> => {
    const attempt = new AbortController();
    const end = (): void => {
      attempt.abort();
    };
    outer.addEventListener('abort', end);
    let timer = setTimeout(end, SILENCE);
    const heard = (): void => {
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE);
    };
    try {
      const known: Record<string, string> = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
      const response = await client.open(EVENTS, known, attempt.signal);
      listener.live(true);
      wait = WAIT[0];
      for await (const { id, data } of messagesOf(response, heard)) {
        lastId = id ?? lastId;
        for (const event of eventsOf(data)) listener.event(event);
      }
    } catch {
      // Opened again below; the pages poll meanwhile.
    }
    // A stream that is not understood must not stay open.
    end();
    clearTimeout(timer);
    listener.live(false);
  };
  for (;;) {
    await untilShown(signal);
    if (signal.aborted) return;
    const shown = whileShown(HIDDEN, signal);
    await inStreamSlot(shown.signal, () => read(shown.signal));
    shown.end();
    await pause(wait, signal);
    wait = Math.min(wait * 2, WAIT[1]);
  }
}

async function* messagesOf({ body }: Response, heard: () => void): AsyncGenerator<SseMessage> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  // Safari cannot iterate over a stream.
  const reader = body?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (next?.value === undefined) return;
    heard();
    yield* parser.push(decoder.decode(next.value, { stream: true }));
  }
}

function eventsOf(data: string): readonly BmcEvent[] {
  const { Events } = JSON.parse(data) as { Events?: readonly BmcEvent[] };
  return Events ?? [];
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
