import type { MachineEvent, Requester } from '../../../machine/index.ts';

/** Who is behind an event, where records of their own say so; what a client wrote itself stays one record. */
export function requesterOf(event: MachineEvent): Requester | undefined {
  return event.kind === 'Record' || !('requester' in event) ? undefined : event.requester;
}
