import type { Caller } from '../caller.ts';
import type { RedfishContext } from '../context.ts';
import type { JsonObject } from '../json.ts';
import { base, RedfishError } from '../messages/index.ts';
import type { Create, Resource } from '../resource.ts';
import type { ListRule, ObjectRule, TextRule } from '../rules.ts';
import type { StoredSubscription } from '../state.ts';
import type { Hub } from './hub.ts';
import { describeSubscription } from './describe-subscription.ts';
import { EVENT_TYPES, SUBSCRIPTIONS } from './names.ts';
import { RESOURCE_TYPES } from './resource-type.ts';
import { REGISTRY_PREFIXES } from './event-service.ts';
import type { Streams } from './stream.ts';

type Context = RedfishContext & { readonly events: Hub };

const MOST = 32;
const POLICIES = ['TerminateAfterRetries', 'SuspendRetries', 'RetryForever'] as const;

const TEXT = { kind: 'text', maxLength: 1024 } as const satisfies TextRule;

function listOf(words: readonly string[]): ListRule {
  return { kind: 'list', maxItems: 64, items: { kind: 'word', words } };
}

const CHANGEABLE: ObjectRule['properties'] = {
  Context: { ...TEXT, isNullable: true },
  DeliveryRetryPolicy: { kind: 'word', words: POLICIES },
  VerifyCertificate: { kind: 'flag' },
  HttpHeaders: {
    kind: 'list',
    maxItems: 16,
    isNullable: true,
    items: { kind: 'object', properties: {}, isOpen: true },
  },
};

const RULES: ObjectRule = {
  kind: 'object',
  properties: {
    ...CHANGEABLE,
    Destination: { kind: 'text', minLength: 1, maxLength: 2048, isRequired: true },
    Protocol: { kind: 'word', words: ['Redfish'], isRequired: true },
    SubscriptionType: { kind: 'word', words: ['RedfishEvent'] },
    EventFormatType: { kind: 'word', words: ['Event'] },
    RegistryPrefixes: listOf(REGISTRY_PREFIXES),
    ResourceTypes: listOf(RESOURCE_TYPES),
    MessageIds: { kind: 'list', maxItems: 64, items: TEXT },
    ExcludeRegistryPrefixes: listOf(REGISTRY_PREFIXES),
    ExcludeMessageIds: { kind: 'list', maxItems: 64, items: TEXT },
    EventTypes: listOf([...EVENT_TYPES, 'MetricReport']),
    IncludeOriginOfCondition: { kind: 'flag' },
    SubordinateResources: { kind: 'flag' },
  },
};

/** What subscriptions can be like, once they keep the rules. */
interface Wish {
  Destination?: string;
  Context?: string | null;
  DeliveryRetryPolicy?: StoredSubscription['retryPolicy'];
  VerifyCertificate?: boolean;
  HttpHeaders?: readonly JsonObject[] | null;
  RegistryPrefixes?: readonly string[];
  ResourceTypes?: readonly string[];
  MessageIds?: readonly string[];
  ExcludeRegistryPrefixes?: readonly string[];
  ExcludeMessageIds?: readonly string[];
  EventTypes?: readonly string[];
}

/** Those that are stored, and one for each stream that is open. */
export function members(context: Context, streams: Streams): { uri: string; resource: Resource }[] {
  const stored = (context.options.state.current().subscriptions ?? []).map(({ id }) => id);
  return [...stored, ...streams.ids()].flatMap((id) => {
    const resource = subscriptionOf(context, streams, id);
    return resource === undefined ? [] : [{ uri: `${SUBSCRIPTIONS}/${id}`, resource }];
  });
}

export function subscriptionOf(context: Context, streams: Streams, id: string): Resource | undefined {
  return streams.resourceOf(id) ?? storedResource(context, id);
}

export function createSubscription({ options }: RedfishContext): Create {
  const { state, observer } = options;
  return {
    rules: RULES,
    apply: async (properties, caller) => {
      const wish = properties as Wish;
      const destination = destinationIn(wish.Destination ?? '');
      const wanted = { ...NEW, ...changesIn(wish), ...filtersIn(wish), destination, owner: caller.account.name };
      let id = '';
      await state.change(({ subscriptions = [], counters = {} }) => {
        if (subscriptions.length >= MOST)
          throw new RedfishError(503, [base('EventSubscriptionLimitExceeded')], { 'Retry-After': '60' });
        const number = (counters.subscription ?? 0) + 1;
        id = String(number);
        return {
          subscriptions: [...subscriptions, { ...wanted, id }],
          counters: { ...counters, subscription: number },
        };
      });
      observer.audited(caller.requester, `subscribed ${new URL(destination).host} to events`);
      return { uri: `${SUBSCRIPTIONS}/${id}` };
    },
  };
}

const NEW: Omit<StoredSubscription, 'id' | 'destination' | 'owner'> = {
  context: '',
  protocol: 'Redfish',
  registryPrefixes: [],
  resourceTypes: [],
  messageIds: [],
  excludedRegistryPrefixes: [],
  excludedMessageIds: [],
  eventTypes: [],
  verifiesCertificate: true,
  httpHeaders: {},
  retryPolicy: 'TerminateAfterRetries',
  isSuspended: false,
};

function storedResource(context: Context, id: string): Resource | undefined {
  const { state, observer } = context.options;
  const stored = state.current().subscriptions?.find((one) => one.id === id);
  if (stored === undefined) return undefined;
  const edit = (change: Partial<StoredSubscription>): Promise<void> =>
    state.change(({ subscriptions = [] }) => ({
      subscriptions: subscriptions.map((one) => (one.id === id ? { ...one, ...change } : one)),
    }));
  return {
    type: 'EventDestination.v1_16_0.EventDestination',
    // Headers are not shown, and a change of them is one.
    revision: JSON.stringify(stored.httpHeaders),
    read: () => describeSubscription(stored),
    patch: {
      rules: { kind: 'object', properties: CHANGEABLE },
      apply: async (changes) => {
        await edit(changesIn(changes));
        return undefined;
      },
    },
    isOwn: ({ account }: Caller) => account.name === stored.owner,
    delete: async ({ requester }) => {
      await state.change(({ subscriptions = [] }) => ({
        subscriptions: subscriptions.filter((one) => one.id !== id),
      }));
      observer.audited(requester, `ended the event subscription ${id}`);
    },
    actions: [
      {
        name: 'EventDestination.ResumeSubscription',
        rules: { kind: 'object', properties: { DeliverBufferedEventDuration: { ...TEXT, isNullable: true } } },
        run: async () => {
          await edit({ isSuspended: false });
          context.events.resume(id);
          return undefined;
        },
      },
    ],
  };
}

/** @throws RedfishError */
function destinationIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // It may hold a password all the same.
  if (url === undefined)
    throw new RedfishError(400, [base('PropertyValueFormatError', ['******', 'Destination'], ['#/Destination'])]);
  const isPlain = url.username === '' && url.password === '';
  if (!['http:', 'https:'].includes(url.protocol) || !isPlain) {
    throw new RedfishError(400, [base('PropertyValueFormatError', [url.protocol, 'Destination'], ['#/Destination'])]);
  }
  return text;
}

function changesIn({
  Context,
  DeliveryRetryPolicy,
  VerifyCertificate,
  HttpHeaders,
}: Wish): Partial<StoredSubscription> {
  return {
    ...(Context === undefined ? {} : { context: Context ?? '' }),
    ...(DeliveryRetryPolicy === undefined ? {} : { retryPolicy: DeliveryRetryPolicy }),
    ...(VerifyCertificate === undefined ? {} : { verifiesCertificate: VerifyCertificate }),
    ...(HttpHeaders === undefined ? {} : { httpHeaders: headersIn(HttpHeaders ?? []) }),
  };
}

function filtersIn(wish: Wish): Partial<StoredSubscription> {
  return {
    registryPrefixes: wish.RegistryPrefixes ?? [],
    resourceTypes: wish.ResourceTypes ?? [],
    messageIds: wish.MessageIds ?? [],
    excludedRegistryPrefixes: wish.ExcludeRegistryPrefixes ?? [],
    excludedMessageIds: wish.ExcludeMessageIds ?? [],
    eventTypes: wish.EventTypes ?? [],
  };
}

/** What HTTP, or the one who sends, says by itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'host',
  'connection',
  'transfer-encoding',
  'odata-version',
  'expect',
  'upgrade',
]);
const MAX_HEADER = 4096;

/** @throws RedfishError */
function headersIn(list: readonly JsonObject[]): Record<string, string> {
  const entries = list.flatMap((headers) => Object.entries(headers));
  const wrong = entries.find(
    ([name, value]) =>
      !/^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name) ||
      OWN_HEADERS.has(name.toLowerCase()) ||
      typeof value !== 'string' ||
      !/^[\t\x20-\x7e]*$/.test(value) ||
      value.length > MAX_HEADER,
  );
  // The value may be a secret of the listener's.
  if (wrong !== undefined)
    throw new RedfishError(400, [base('PropertyValueError', ['HttpHeaders'], ['#/HttpHeaders'])]);
  return Object.fromEntries(entries) as Record<string, string>;
}
