import type { StoredSubscription } from '../state.ts';

/** A subscription to all events with unlimited retries. */
export function aSubscription(id: string, change: Partial<StoredSubscription> = {}): StoredSubscription {
  return {
    id,
    destination: `https://listener-${id}.example/in`,
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
    retryPolicy: 'RetryForever',
    isSuspended: false,
    owner: 'admin',
    ...change,
  };
}
