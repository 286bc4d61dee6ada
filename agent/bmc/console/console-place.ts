import type { VirtualMachineInstance } from '../../../api/index.ts';

/** Location of the serial port of a running VM: one VMI on one node. */
export interface ConsolePlace {
  uid: string;
  node: string;
}

/** Undefined if there is nothing to connect to. */
export function placeOf(vmi: VirtualMachineInstance | undefined): ConsolePlace | undefined {
  if (vmi?.status?.phase !== 'Running') return undefined;
  return { uid: vmi.metadata.uid ?? '', node: vmi.status.nodeName ?? '' };
}

/**
 * Why a connection to `held` has ended, according to the VMI:
 *
 * - `Off`: the machine is off or shutting down. - `Moved`: the console is at another place. - `Moving`: a live
 * migration is in progress. - `Unknown`: the machine has not changed, or the watch is stale.
 */
export type Closure = 'Off' | 'Moved' | 'Moving' | 'Unknown';

export function evaluateClosure(held: ConsolePlace, vmi: VirtualMachineInstance | undefined): Closure {
  const place = placeOf(vmi);
  if (vmi === undefined || place === undefined) return 'Off';
  if (place.uid !== held.uid || place.node !== held.node) return 'Moved';
  if (vmi.metadata.deletionTimestamp !== undefined) return 'Off';
  const migration = vmi.status?.migrationState;
  if (migration !== undefined && migration.completed !== true && migration.failed !== true) return 'Moving';
  return 'Unknown';
}
