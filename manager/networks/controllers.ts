import {
  labelsChanged,
  or,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type Metrics,
  type ControllerOptions,
  type Predicate,
  type Draft,
  type Kind,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import type { NetworkCaches } from './caches.ts';
import { isDeclined, isReleased, type IPLease } from '../../api/index.ts';
import { isDeepStrictEqual } from 'node:util';
import type { FinalizingRights } from '../finalizing-rights.ts';

/** Options common to all network controllers. */
export interface NetworkControllerOptions {
  client: KubeClient;
  caches: NetworkCaches;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
  metrics?: Metrics | undefined;
  /** Absent: the manager's permissions do not end with a namespace. */
  rights?: FinalizingRights | undefined;
}

/**
 * Backoff of failed requests, milliseconds. Without other changes nothing signals the end of an outage, so the maximum
 * is short: a VM that waits for an address must not wait as long as the outage lasted.
 */
export const RETRIES: NonNullable<ControllerOptions['rateLimit']> = { base: 5, max: 30_000 };

/**
 * Whether a lease was created, deleted, released or taken back, has a new conflict state, or will be free at another time. Other
 * reports of agents (frequent, one per machine) do not matter to its config or pool.
 */
export const leaseTurned: Predicate<IPLease> = or<IPLease>(labelsChanged, (change) => {
  if (change.type !== 'modified') return true;
  const { object, previous } = change;
  return (
    isDeclined(object) !== isDeclined(previous) ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    (isReleased(object) && object.status?.expires !== previous.status?.expires)
  );
});

/**
 * Writes the complete status of an object if it has changed: an apply removes the fields that it leaves out.
 *
 * @param before the current status
 * @returns the object after the write; undefined: nothing was written
 */
export async function report<T extends KubeObject & { status?: object }>(
  kind: Kind<T>,
  { metadata: { namespace = '', name, uid } }: T,
  before: T['status'],
  status: NonNullable<T['status']>,
  client: KubeClient,
): Promise<T | undefined> {
  if (isDeepStrictEqual(before, status)) return undefined;
  // An apply to the status subresource has no spec, which the type requires.
  const draft = { metadata: { namespace, name, uid }, status } as unknown as Draft<T>;
  return await client.apply(kind, draft, { subresource: 'status', force: true });
}
