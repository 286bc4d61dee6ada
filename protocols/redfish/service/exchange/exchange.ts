import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { Caller } from '../../caller.ts';
import type { RedfishObserver } from '../../options.ts';
import type { ServiceEvent } from '../../context.ts';
import type { Place, ResourceTree } from '../tree/index.ts';
import type { OpenDocuments } from '../descriptions/index.ts';
import type { Turns } from '../limits/index.ts';
import type { SerialQueues } from '../../../serial-queue.ts';

/** How those who ask are known. */
export interface Gate {
  /** @throws RedfishError where credentials are missing or wrong */
  authenticate(headers: IncomingHttpHeaders, address: string): Caller;
  /** Stands for somebody who is not logged in where nobody needs to be. */
  anonymous(address: string): Caller;
}

/** What all requests have in common. */
export interface Service {
  readonly tree: ResourceTree;
  readonly gate: Gate;
  readonly documents: OpenDocuments;
  readonly writes: SerialQueues;
  /** Of what takes much time and memory. */
  readonly turns: Turns;
  readonly observer: Pick<RedfishObserver, 'failed'>;
  publish(event: ServiceEvent): void;
}

/** A request that may be answered: somebody who may do so asks for something that is there. */
export interface Exchange {
  readonly service: Service;
  readonly request: Request;
  readonly response: Response;
  readonly place: Place;
  readonly caller: Caller;
  /** What follows the question mark. */
  readonly search: string;
}

/** What tells callers apart where one is not to take what is everybody's: those who are nobody are one, for addresses cost nothing. */
export function callerKey({ account }: Caller): string {
  return String(account.id);
}

/** Of the message registry ResourceEvent. */
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
