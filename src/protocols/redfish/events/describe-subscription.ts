import type { JsonObject } from '../json.ts';
import type { StoredSubscription } from '../state.ts';

/** Properties of an EventDestination. */
export function describeSubscription(subscription: StoredSubscription): JsonObject {
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
    // They may carry secrets: empty in answers, as the schema has it.
    HttpHeaders: [],
    DeliveryRetryPolicy: retryPolicy,
    VerifyCertificate: verifiesCertificate,
    IncludeOriginOfCondition: false,
    SubordinateResources: false,
    Status: isSuspended ? { State: 'Disabled', Health: 'Warning' } : { State: 'Enabled', Health: 'OK' },
  };
}
