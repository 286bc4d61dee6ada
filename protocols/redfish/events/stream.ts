import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../caller.ts';
import type { RedfishContext } from '../context.ts';
import type { Resource } from '../resource.ts';
import { EVENT_SERVICE, link } from '../uris.ts';
import { eventMessage, type EventRecord } from './event-record.ts';
import type { Hub } from './hub.ts';
import { admitOneMore, STREAM_LIMITS } from './limits.ts';
import { STREAM, SUBSCRIPTIONS } from './names.ts';
import { streamFilter } from './stream-filter.ts';

/** ms between comments that tell both sides and what is between them that the stream lives. */
const HEARTBEAT = 15_000;
/** ms that a client is told to wait before it connects again: whoever takes over needs a moment. */
const COME_AGAIN = 2_000;
/** Bytes that wait for a listener who does not read; beyond them the stream ends, and may be taken up again. */
const MOST_WAITING = 1024 * 1024;

const HEADERS = {
  'Content-Type': 'text/event-stream;charset=utf-8',
  'Cache-Control': 'no-store',
  'OData-Version': '4.0',
  'X-Accel-Buffering': 'no',
};

interface Stream {
  readonly id: string;
  /** ID of the account. */
  readonly owner: number;
  end(): void;
}

/** Events to whoever holds a stream of Server-Sent Events open (HTML Living Standard §9.2; DSP0266 §13.5.2). */
export class Streams {
  readonly #context: RedfishContext & { readonly events: Hub };
  readonly #open = new Map<string, Stream>();
  #lastId = 0;

  constructor(context: RedfishContext & { readonly events: Hub }) {
    this.#context = context;
  }

  ids(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** A stream is shown as a subscription, whose removal ends it. */
  resourceOf(id: string): Resource | undefined {
    const stream = this.#open.get(id);
    if (stream === undefined) return undefined;
    return {
      type: 'EventDestination.v1_16_0.EventDestination',
      read: () => ({
        Id: id,
        Name: `Event Stream ${id}`,
        Context: `${SUBSCRIPTIONS}/${id}`,
        Protocol: 'Redfish',
        SubscriptionType: 'SSE',
        EventFormatType: 'Event',
        Status: { State: 'Enabled', Health: 'OK' },
      }),
      isOwn: ({ account }) => account.id === stream.owner,
      // eslint-disable-next-line @typescript-eslint/require-await -- the port's
      delete: async () => {
        stream.end();
      },
    };
  }

  /** @throws RedfishError */
  open(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    const passes = streamFilter(request.url ?? '');
    if (request.method === 'HEAD') {
      response.writeHead(200, HEADERS).end();
      return;
    }
    admitOneMore(this.#open.values(), ({ owner }) => owner === caller.account.id, STREAM_LIMITS);
    this.#lastId += 1;
    const id = `SSE${this.#lastId}`;
    response.writeHead(200, HEADERS);
    const write = (text: string): void => {
      if (response.writableEnded) return;
      if (response.writableLength > MOST_WAITING) end();
      else response.write(text);
    };
    // What was missed is told before it is known what ends the listening.
    let stopListening = (): void => undefined;
    let stopHeart = (): void => undefined;
    let stopLeaving = (): void => undefined;
    const beat = (): void => {
      if (!this.#mayGoOn(caller)) {
        end();
        return;
      }
      write(': alive\n\n');
      if (!response.writableEnded) stopHeart = this.#context.options.schedule(beat, HEARTBEAT);
    };
    const end = (): void => {
      stopListening();
      stopHeart();
      stopLeaving();
      this.#open.delete(id);
      response.end();
    };
    this.#open.set(id, { id, owner: caller.account.id, end });
    response.on('close', end);
    stopListening = this.#context.events.listen((record) => {
      // One that is removed and made again meanwhile is another account: its removal is an event.
      if (!this.#mayGoOn(caller)) end();
      else if (passes(record.event)) write(eventText(record, `${SUBSCRIPTIONS}/${id}`));
    }, lastSeen(request));
    beat();
    stopLeaving = this.#context.events.onLeave(() => {
      write(`retry: ${COME_AGAIN}\n: the service goes down; another may answer\n\n`);
      end();
    });
  }

  /** The account may have gone since, or lost its role. The end of a session ends no stream (DSP0266, session termination side effects). */
  #mayGoOn({ account }: Caller): boolean {
    const now = this.#context.options.accounts.list().find(({ id }) => id === account.id);
    return now?.enabled === true && now.name === account.name && now.role === account.role;
  }
}

/** `Last-Event-ID`: a client whose stream broke goes on behind it. */
function lastSeen({ headers }: IncomingMessage): number | undefined {
  const seen = Number(headers['last-event-id']);
  return Number.isSafeInteger(seen) && seen > 0 ? seen : undefined;
}

function eventText(record: EventRecord, context: string): string {
  return `id: ${record.id}\ndata: ${JSON.stringify(eventMessage(record, context))}\n\n`;
}

export function streamResource(streams: Streams): Resource {
  return {
    type: 'EventService.v1_12_0.EventService',
    // For metadata: whoever asks is answered by the stream.
    read: () => ({
      '@odata.id': STREAM,
      Id: 'SSE',
      Name: 'Event Stream',
      Subscriptions: link(`${EVENT_SERVICE}/Subscriptions`),
    }),
    stream: (request, response, caller) => {
      streams.open(request, response, caller);
    },
  };
}
