import type { MachineEvent, Requester } from '../../../machine/index.ts';

/** The requester of an event, for additional records; events written by clients stay a single record. */
export function requesterOf(event: MachineEvent): Requester | undefined {
  return event.kind === 'Record' || !('requester' in event) ? undefined : event.requester;
}
