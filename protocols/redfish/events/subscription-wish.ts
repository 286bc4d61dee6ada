import type { JsonObject } from '../json.ts';
import type { ListRule, ObjectRule, TextRule } from '../rules.ts';
import type { StoredSubscription } from '../state.ts';
import { REGISTRY_PREFIXES } from './event-service.ts';
import { headersIn } from './headers-in.ts';
import { EVENT_TYPES } from './names.ts';
import { RESOURCE_TYPES } from './resource-type.ts';

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
export const RULES: ObjectRule = {
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
export interface Wish {
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

export function filtersIn(wish: Wish): Partial<StoredSubscription> {
  return {
    registryPrefixes: wish.RegistryPrefixes ?? [],
    resourceTypes: wish.ResourceTypes ?? [],
    messageIds: wish.MessageIds ?? [],
    excludedRegistryPrefixes: wish.ExcludeRegistryPrefixes ?? [],
    excludedMessageIds: wish.ExcludeMessageIds ?? [],
    eventTypes: wish.EventTypes ?? [],
  };
}
