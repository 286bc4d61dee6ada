import { within } from '../../within.ts';
import type { Caller, Create } from '../resource.ts';
import type { RedfishContext } from '../context.ts';
import type { JsonObject } from '../json.ts';
import { base, RedfishError } from '../messages.ts';
import type { RedfishOptions } from '../options.ts';
import type { ListRule, ObjectRule, TextRule } from '../rules.ts';
import type { StoredSubscription } from '../state.ts';
import { EVENT_TYPES, RESOURCE_TYPES, SUBSCRIPTIONS } from './event-record.ts';
import { REGISTRY_PREFIXES } from './event-service.ts';
import { isOwnerOf } from './kept-subscriptions.ts';
import { admitDestination, RefusedDestination } from './post-event.ts';

export function createSubscription({ options }: RedfishContext): Create {
  const { state, observer } = options;
  return {
    rules: RULES,
    apply: async (properties, caller) => {
      const wish = properties as Wish;
      const destination = destinationIn(wish.Destination ?? '');
      await admit(destination, options);
      const wanted = { ...NEW_SUBSCRIPTION, ...changesIn(wish), ...filtersIn(wish), destination, ...ownerOf(caller) };
      let id = '';
      await state.change(({ subscriptions = [], counters = {} }) => {
        admitOneMore(subscriptions, (one) => isOwnerOf(one, caller.account), SUBSCRIPTION_LIMITS);
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

function ownerOf({ account }: Caller): Pick<StoredSubscription, 'owner' | 'account'> {
  return { owner: account.name, account: account.id };
}

/** The defaults of a new subscription. */
export const NEW_SUBSCRIPTION: Omit<StoredSubscription, 'id' | 'destination' | 'owner'> = {
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

/** Timeout of the DNS lookup for a new subscription, ms. */
const PATIENCE = 3_000;

/** Accepts a name that does not resolve yet: it is checked again before each connection. @throws RedfishError */
async function admit(destination: string, { listeners, schedule }: RedfishOptions): Promise<void> {
  try {
    await within(PATIENCE, schedule, () => admitDestination(new URL(destination), listeners));
  } catch (error) {
    if (!(error instanceof RefusedDestination)) return;
    const message = base('PropertyValueError', ['Destination'], ['#/Destination']);
    throw new RedfishError(400, [{ ...message, Resolution: error.message }]);
  }
}

/** @throws RedfishError */
function destinationIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // An invalid URL may contain a password too.
  if (url === undefined)
    throw new RedfishError(400, [base('PropertyValueFormatError', ['******', 'Destination'], ['#/Destination'])]);
  const isPlain = url.username === '' && url.password === '';
  if (!['http:', 'https:'].includes(url.protocol) || !isPlain) {
    throw new RedfishError(400, [base('PropertyValueFormatError', [url.protocol, 'Destination'], ['#/Destination'])]);
  }
  return text;
}

const POLICIES = ['TerminateAfterRetries', 'SuspendRetries', 'RetryForever'] as const;

export const TEXT = { kind: 'text', maxLength: 1024 } as const satisfies TextRule;

function listOf(words: readonly string[]): ListRule {
  return { kind: 'list', maxItems: 64, items: { kind: 'word', words } };
}

/** The properties that PATCH may change. */
export const CHANGEABLE: ObjectRule['properties'] = {
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

/** The properties that POST accepts. */
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

/** Properties of a subscription that the rules accept. */
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

/** @throws RedfishError */
export function changesIn({
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

/** Headers that HTTP or the sender sets itself. */
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

/** `HttpHeaders` of a subscription, sent with each event. @throws RedfishError */
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
  // The value may be a secret of the listener.
  if (wrong !== undefined)
    throw new RedfishError(400, [base('PropertyValueError', ['HttpHeaders'], ['#/HttpHeaders'])]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Maximum number of subscriptions, in total and per account. */
const SUBSCRIPTION_LIMITS = { all: 32, ofOne: 16 };
/** Maximum number of open streams, in total and per account. */
export const STREAM_LIMITS = { all: 16, ofOne: 4 };

/**
 * @param isOwn whether an existing item belongs to the account that adds one
 * @throws RedfishError 503 if a limit is reached
 */
export function admitOneMore<T>(
  present: Iterable<T>,
  isOwn: (one: T) => boolean,
  limits: { readonly all: number; readonly ofOne: number },
): void {
  const all = [...present];
  if (all.length < limits.all && all.filter(isOwn).length < limits.ofOne) return;
  throw new RedfishError(503, [base('EventSubscriptionLimitExceeded')], { 'Retry-After': '60' });
}
