import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { SerialQueues } from '../../serial-queue.ts';
import type { Caller } from '../resource.ts';
import type { ServiceEvent } from '../context.ts';
import type { RedfishObserver } from '../options.ts';
import type { Turns } from './turns.ts';
import type { Place } from './place.ts';
import type { ResourceTree } from './resource-tree.ts';

/** Authentication of requests. */
interface Gate {
  /** @throws RedfishError if credentials are missing or wrong */
  authenticate(headers: IncomingHttpHeaders, address: string): Caller;
  /** The caller for operations without authentication. */
  anonymous(address: string): Caller;
}

/** Dependencies shared by all requests. */
export interface Service {
  readonly tree: ResourceTree;
  readonly gate: Gate;
  readonly writes: SerialQueues;
  /** Limits expensive requests. */
  readonly turns: Turns;
  readonly observer: Pick<RedfishObserver, 'answered' | 'failed'>;
  publish(event: ServiceEvent): void;
}

/** An authorized request to an existing resource. */
export interface Exchange {
  readonly service: Service;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly place: Place;
  readonly caller: Caller;
  /** The part after the question mark. */
  readonly search: string;
}

/** Key for per-caller limits. All unauthenticated callers share one, because addresses are easy to change. */
export function callerKey({ account }: Caller): string {
  return String(account.id);
}

/** A message of the registry ResourceEvent. */
export function resourceEvent(
  name: 'ResourceChanged' | 'ResourceCreated' | 'ResourceRemoved',
  origin: string,
): ServiceEvent {
  const [message, eventType] = EVENTS[name];
  return { messageId: `ResourceEvent.1.4.${name}`, message, messageArgs: [], severity: 'OK', origin, eventType };
}

const EVENTS = {
  ResourceChanged: ['One or more resource properties have changed.', 'ResourceUpdated'],
  ResourceCreated: ['A resource has been created successfully.', 'ResourceAdded'],
  ResourceRemoved: ['A resource has been removed successfully.', 'ResourceRemoved'],
} as const;
