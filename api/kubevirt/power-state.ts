import type { StateChangeRequest, VirtualMachine } from './virtual-machine.ts';
import type { VirtualMachineInstance } from './virtual-machine-instance.ts';

/** The power state of a virtual machine. `Paused` is a powered state. */
export type PowerState = (typeof POWER_STATES)[number];

export const POWER_STATES = ['Off', 'PoweringOn', 'On', 'PoweringOff', 'Paused'] as const;

/**
 * The power state from a VM and its VMI. `status.ready` depends on a readiness probe, and `status.printableStatus` is `Stopped`
 * between the two VMIs of a restart, so neither is used.
 */
export function powerStateOf(vm: VirtualMachine | undefined, vmi: VirtualMachineInstance | undefined): PowerState {
  const requests = vm?.status?.stateChangeRequests ?? [];
  if (vmi === undefined || hasEnded(vmi)) return asksToStart(requests) ? 'PoweringOn' : 'Off';
  if (vmi.metadata.deletionTimestamp !== undefined || asksToStop(requests, vmi)) return 'PoweringOff';
  switch (vmi.status?.phase) {
    case 'Running':
      return isPaused(vmi) ? 'Paused' : 'On';
    // Its node is lost and the guest may still run: with Off, a fence agent would start a second one.
    case 'Unknown':
      return 'On';
    default:
      return 'PoweringOn';
  }
}

/** The guest has powered off or crashed; the object may remain. */
export function hasEnded(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed';
}

function asksToStart(requests: StateChangeRequest[]): boolean {
  return requests.some((request) => request.action === 'Start');
}

/** A Stop with another UID was for an earlier VMI. */
function asksToStop(requests: StateChangeRequest[], vmi: VirtualMachineInstance): boolean {
  return requests.some(
    (request) => request.action === 'Stop' && (request.uid === undefined || request.uid === vmi.metadata.uid),
  );
}

function isPaused(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True') ?? false;
}
