import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Resource } from '../resource.ts';
import type { RedfishContext, ServiceEvent } from '../context.ts';
import { type Filter, matches } from '../query/filter.ts';
import { parseQuery } from '../query/parse-query.ts';
import { badValue, notOfCollection } from '../query/query-errors.ts';
import { COMMON } from '../service/answer.ts';
import { EVENT_SERVICE, link } from '../uris.ts';
import { admitOneMore, STREAM_LIMITS } from './create-subscription.ts';
import {
  eventMessage,
  type EventRecord,
  RESOURCE_TYPES,
  resourceTypeOf,
  STREAM,
  SUBSCRIPTIONS,
} from './event-record.ts';
import { REGISTRY_PREFIXES } from './event-service.ts';
import type { Hub } from './hub.ts';

/** ms between heartbeat comments that keep the connection open. */
const HEARTBEAT = 15_000;
/** Reconnection time sent to clients, ms: the next process needs a moment to start. */
const COME_AGAIN = 2_000;
/** Buffer limit in bytes for a client that does not read; beyond it the stream ends. The client can reconnect and continue. */
const MOST_WAITING = 1024 * 1024;

const HEADERS = { ...COMMON, 'Content-Type': 'text/event-stream;charset=utf-8', 'X-Accel-Buffering': 'no' };

interface Stream {
  readonly id: string;
  /** ID of the account. */
  readonly owner: number;
  end(): void;
}

/** Streams of Server-Sent Events (HTML Living Standard §9.2; DSP0266 §13.5.2). */
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

  /** The subscription resource of a stream; its deletion ends the stream. */
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
      delete: () => {
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
    // Missed events are sent before `listen` returns.
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
      // An account that is deleted and created again is another account; the deletion itself is an event.
      if (!this.#mayGoOn(caller)) end();
      else if (passes(record.event)) write(eventText(record, `${SUBSCRIPTIONS}/${id}`));
    }, lastSeen(request));
    beat();
    stopLeaving = this.#context.events.onLeave(() => {
      write(`retry: ${COME_AGAIN}\n: the service goes down; another may answer\n\n`);
      end();
    });
  }

  /**
   * Whether the account still exists and has its role. The end of a session does not end a stream (DSP0266, session termination
   * side effects).
   */
  #mayGoOn({ account }: Caller): boolean {
    const now = this.#context.options.accounts.list().find(({ id }) => id === account.id);
    return now?.enabled === true && now.name === account.name && now.role === account.role;
  }
}

/** `Last-Event-ID`: the last event that a reconnecting client has received. */
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
    // For metadata only: the stream answers requests.
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

/**
 * `?$filter=` of a stream, over `EventFormatType`, `MessageId`, `OriginResource`, `RegistryPrefix` and `ResourceType` (DSP0266
 * §13.5.2).
 *
 * @param url of the request
 * @returns whether an event passes
 * @throws RedfishError 400 also for a filter that no event can pass: the client would wait forever
 */
function streamFilter(url: string): (event: ServiceEvent) => boolean {
  const [, search = ''] = url.split(/\?(.*)/s);
  const query = parseQuery(search);
  if (query === undefined) return () => true;
  const { filter, kept, skip } = query;
  if (filter === undefined || kept.length > 1 || skip !== undefined) throw notOfCollection();
  if (!isOfEvents(filter)) throw badValue('$filter', new URLSearchParams(search).get('$filter') ?? '');
  return ({ messageId, origin }) =>
    matches(filter, {
      EventFormatType: 'Event',
      MessageId: messageId,
      OriginResource: origin,
      RegistryPrefix: messageId.split('.')[0],
      ResourceType: origin === undefined ? undefined : resourceTypeOf(origin),
    });
}

/** The properties of a filter and their values; empty: any text. */
const FILTERED: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['EventFormatType', ['Event']],
  ['MessageId', []],
  ['OriginResource', []],
  ['RegistryPrefix', REGISTRY_PREFIXES],
  ['ResourceType', RESOURCE_TYPES],
]);

function isOfEvents(filter: Filter): boolean {
  if (filter.kind === 'holds') return false;
  if (filter.kind === 'not') return isOfEvents(filter.operand);
  if (filter.kind !== 'compare') return isOfEvents(filter.left) && isOfEvents(filter.right);
  const { operator, left, right } = filter;
  if ((operator !== 'eq' && operator !== 'ne') || 'value' in left || !('value' in right)) return false;
  const values = FILTERED.get(left.path.join('/'));
  const { value } = right;
  return typeof value === 'string' && values !== undefined && (values.length === 0 || values.includes(value));
}
