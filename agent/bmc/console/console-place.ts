import type { VirtualMachineInstance } from '../../../api/index.ts';

/** Where the serial port of a running VM is: one life of it, on one node. */
export interface ConsolePlace {
  uid: string;
  node: string;
}

/** Undefined where there is nothing to connect to. */
export function placeOf(vmi: VirtualMachineInstance | undefined): ConsolePlace | undefined {
  if (vmi?.status?.phase !== 'Running') return undefined;
  return { uid: vmi.metadata.uid ?? '', node: vmi.status.nodeName ?? '' };
}

/**
 * Why a connection to `held` has ended, as far as the VMI tells by now:
 *
 * - `Off`: the machine is off, or on its way there.
 * - `Moved`: there is another place to connect to.
 * - `Moving`: a live migration is under way.
 * - `Unknown`: nothing has happened to the machine, or the watch has not heard of it yet.
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
