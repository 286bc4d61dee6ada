import type { ServiceEvent } from '../context.ts';

/** Event filters of a listener; an empty list selects all. */
export interface Wanted {
  readonly registryPrefixes: readonly string[];
  readonly resourceTypes: readonly string[];
  readonly messageIds: readonly string[];
  readonly eventTypes: readonly string[];
  /** Exclusions take precedence. */
  readonly excludedRegistryPrefixes: readonly string[];
  readonly excludedMessageIds: readonly string[];
}

/** @param resourceType returns the schema of the resource at a URI: `ComputerSystem`; undefined: not known */
export function isWanted(
  event: ServiceEvent,
  wanted: Wanted,
  resourceType: (uri: string) => string | undefined,
): boolean {
  const { registryPrefixes, resourceTypes, messageIds, eventTypes } = wanted;
  const prefix = event.messageId.split('.')[0] ?? '';
  const type = event.origin === undefined ? undefined : resourceType(event.origin);
  return (
    !wanted.excludedRegistryPrefixes.includes(prefix) &&
    !wanted.excludedMessageIds.some((id) => isSameMessage(id, event.messageId)) &&
    (registryPrefixes.length === 0 || registryPrefixes.includes(prefix)) &&
    (messageIds.length === 0 || messageIds.some((id) => isSameMessage(id, event.messageId))) &&
    (eventTypes.length === 0 || eventTypes.includes(event.eventType ?? 'Other')) &&
    (resourceTypes.length === 0 || (type !== undefined && resourceTypes.includes(type)))
  );
}

/** Subscriptions omit the version: `ResourceEvent.ResourceChanged`. */
function isSameMessage(wanted: string, sent: string): boolean {
  return wanted === sent || wanted === `${sent.split('.')[0] ?? ''}.${sent.split('.').at(-1) ?? ''}`;
}
