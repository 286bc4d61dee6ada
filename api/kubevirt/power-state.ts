import type { StateChangeRequest, VirtualMachine } from './virtual-machine.ts';
import type { VirtualMachineInstance } from './virtual-machine-instance.ts';

/** Whether a virtual machine has power, and which way it is going. `Paused` has power. */
export type PowerState = (typeof POWER_STATES)[number];

export const POWER_STATES = ['Off', 'PoweringOn', 'On', 'PoweringOff', 'Paused'] as const;

/**
 * The power state of a VM, from the VM and its VMI as they are read. Neither `status.ready` (a readiness probe's
 * matter) nor `status.printableStatus` (reads `Stopped` between the two VMIs of a restart) is asked.
 */
export function powerStateOf(vm: VirtualMachine | undefined, vmi: VirtualMachineInstance | undefined): PowerState {
  const requests = vm?.status?.stateChangeRequests ?? [];
  if (vmi === undefined || hasEnded(vmi)) return asksToStart(requests) ? 'PoweringOn' : 'Off';
  if (vmi.metadata.deletionTimestamp !== undefined || asksToStop(requests, vmi)) return 'PoweringOff';
  switch (vmi.status?.phase) {
    case 'Running':
      return isPaused(vmi) ? 'Paused' : 'On';
    // Its node is lost, and the guest may well run on: a fence agent that read Off here would start a second one.
    case 'Unknown':
      return 'On';
    default:
      return 'PoweringOn';
  }
}

/** The guest has powered itself off or crashed; the object may stay. */
export function hasEnded(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed';
}

function asksToStart(requests: StateChangeRequest[]): boolean {
  return requests.some((request) => request.action === 'Start');
}

/** A Stop that names another VMI was for an earlier life of the VM. */
function asksToStop(requests: StateChangeRequest[], vmi: VirtualMachineInstance): boolean {
  return requests.some(
    (request) => request.action === 'Stop' && (request.uid === undefined || request.uid === vmi.metadata.uid),
  );
}

function isPaused(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True') ?? false;
}
