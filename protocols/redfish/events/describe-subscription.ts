import { dateTime } from '../date-time.ts';
import type { JsonObject } from '../json.ts';
import { base } from '../messages/index.ts';
import type { StoredSubscription } from '../state.ts';
import type { DeliveryProblem } from './deliveries.ts';

/** Properties of an EventDestination. */
export function describeSubscription(
  subscription: StoredSubscription,
  problem: DeliveryProblem | undefined,
): JsonObject {
  const { id, destination, context, retryPolicy, isSuspended, verifiesCertificate } = subscription;
  const { registryPrefixes, resourceTypes, messageIds, eventTypes } = subscription;
  const { excludedRegistryPrefixes, excludedMessageIds } = subscription;
  return {
    Id: id,
    Name: `Event Subscription ${id}`,
    Destination: destination,
    Context: context,
    Protocol: 'Redfish',
    SubscriptionType: 'RedfishEvent',
    EventFormatType: 'Event',
    RegistryPrefixes: registryPrefixes,
    ResourceTypes: resourceTypes,
    MessageIds: messageIds,
    ExcludeRegistryPrefixes: excludedRegistryPrefixes,
    ExcludeMessageIds: excludedMessageIds,
    ...(eventTypes.length === 0 ? {} : { EventTypes: eventTypes }),
    // Headers may carry secrets; the schema requires an empty array in responses.
    HttpHeaders: [],
    DeliveryRetryPolicy: retryPolicy,
    VerifyCertificate: verifiesCertificate,
    IncludeOriginOfCondition: false,
    SubordinateResources: false,
    Status: {
      State: isSuspended ? 'Disabled' : 'Enabled',
      Health: isSuspended || problem !== undefined ? 'Warning' : 'OK',
      ...(problem === undefined ? {} : { Conditions: [condition(destination, problem)] }),
    },
  };
}

/** A Condition of schema Resource. */
function condition(destination: string, { why, since }: DeliveryProblem): JsonObject {
  const { MessageId, Message, MessageArgs } = base('CouldNotEstablishConnection', [destination]);
  return { MessageId, Message, MessageArgs, Severity: 'Warning', Resolution: `${why}.`, Timestamp: dateTime(since) };
}
