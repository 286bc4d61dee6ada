import type { RedfishContext, ServiceEvent } from '../context.ts';
import type { JsonObject } from '../json.ts';
import { LOG_REGISTRY } from '../log-messages.ts';
import type { Action, Resource } from '../resource.ts';
import { EVENT_SERVICE, link } from '../uris.ts';
import { EVENT_TYPES, RESOURCE_TYPES, STREAM, SUBSCRIPTIONS } from './event-record.ts';
import { RETRIES, RETRY_LIMITS } from './delivery.ts';

/** Message registries of the events. */
export const REGISTRY_PREFIXES = [LOG_REGISTRY, 'ResourceEvent'] as const;

export function eventService(context: RedfishContext): Resource {
  const { state, observer } = context.options;
  return {
    type: 'EventService.v1_12_0.EventService',
    read: () => {
      const { eventRetryAttempts, eventRetryIntervalSeconds } = state.current().settings ?? {};
      return {
        Id: 'EventService',
        Name: 'Event Service',
        ServiceEnabled: true,
        Status: { State: 'Enabled', Health: 'OK' },
        DeliveryRetryAttempts: eventRetryAttempts ?? RETRIES.attempts,
        DeliveryRetryIntervalSeconds: eventRetryIntervalSeconds ?? RETRIES.interval,
        EventFormatTypes: ['Event'],
        RegistryPrefixes: REGISTRY_PREFIXES,
        ResourceTypes: RESOURCE_TYPES,
        ExcludeMessageId: true,
        ExcludeRegistryPrefix: true,
        IncludeOriginOfConditionSupported: false,
        SubordinateResourcesSupported: false,
        ServerSentEventUri: STREAM,
        SSEFilterPropertiesSupported: {
          EventFormatType: true,
          MessageId: true,
          OriginResource: true,
          RegistryPrefix: true,
          ResourceType: true,
        },
        Subscriptions: link(SUBSCRIPTIONS),
      };
    },
    patch: {
      rules: {
        kind: 'object',
        properties: {
          DeliveryRetryAttempts: { kind: 'number', ...RETRY_LIMITS.attempts },
          DeliveryRetryIntervalSeconds: { kind: 'number', ...RETRY_LIMITS.interval },
        },
      },
      apply: async (changes, { requester }) => {
        await state.change(({ settings }) => ({ settings: { ...settings, ...settingsIn(changes) } }));
        observer.audited(requester, `EventService: ${Object.keys(changes).join(', ')} changed`);
        return undefined;
      },
    },
    actions: [submitTestEvent(context)],
  };
}

function settingsIn({ DeliveryRetryAttempts: attempts, DeliveryRetryIntervalSeconds: interval }: JsonObject): object {
  return {
    ...(typeof attempts === 'number' ? { eventRetryAttempts: attempts } : {}),
    ...(typeof interval === 'number' ? { eventRetryIntervalSeconds: interval } : {}),
  };
}

function submitTestEvent({ events }: RedfishContext): Action {
  const text = { kind: 'text', maxLength: 1024 } as const;
  return {
    name: 'EventService.SubmitTestEvent',
    rules: {
      kind: 'object',
      properties: {
        EventType: { kind: 'word', words: EVENT_TYPES },
        EventId: text,
        EventTimestamp: text,
        Severity: { kind: 'word', words: ['OK', 'Warning', 'Critical'] },
        MessageSeverity: { kind: 'word', words: ['OK', 'Warning', 'Critical'] },
        Message: text,
        MessageId: { ...text, pattern: /^[A-Za-z0-9]+\.(\d+\.\d+\.)?[A-Za-z0-9.]+$/ },
        MessageArgs: { kind: 'list', maxItems: 16, items: text },
        OriginOfCondition: text,
      },
    },
    run: (parameters) => {
      events.publish(testEvent(parameters));
      return undefined;
    },
  };
}

/** The parameters have been checked against the rules. */
function testEvent(parameters: JsonObject): ServiceEvent {
  const { Message, MessageId, MessageArgs, Severity, MessageSeverity, OriginOfCondition, EventType } = parameters as {
    [name: string]: string | undefined;
  } & { MessageArgs?: readonly string[]; EventType?: NonNullable<ServiceEvent['eventType']> };
  return {
    messageId: MessageId ?? 'ResourceEvent.1.4.TestMessage',
    message: Message ?? 'Test message.',
    messageArgs: MessageArgs ?? [],
    severity: (MessageSeverity ?? Severity ?? 'OK') as ServiceEvent['severity'],
    origin: OriginOfCondition ?? EVENT_SERVICE,
    eventType: EventType ?? 'Alert',
  };
}
