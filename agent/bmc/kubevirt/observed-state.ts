import { hasEnded, type VirtualMachineInstance } from '../../../api/index.ts';
import type { ObservedState } from '../log/observed-state.ts';

/**
 * The observed state of a machine. It stays `before` while it is uncertain: a guest that is starting, or whose node does not
 * respond.
 */
export function observedStateOf(
  vmi: VirtualMachineInstance | undefined,
  before: ObservedState | undefined,
): ObservedState | undefined {
  if (vmi === undefined || hasEnded(vmi)) return { ...before, power: 'Off' };
  if (vmi.status?.phase !== 'Running') return before;
  const { uid } = vmi.metadata;
  // A VMI that has ended does not return: `before` is newer than this one.
  if (uid !== undefined && before?.power === 'Off' && before.vmi === uid) return before;
  return { power: 'On', ...(uid === undefined ? {} : { vmi: uid }), media: mediaOf(vmi, before) };
}

/** Media in CD-ROM drives. A volume that is being attached to a new guest keeps its previous state. */
function mediaOf({ spec, status }: VirtualMachineInstance, before: ObservedState | undefined): string[] {
  const declared = new Set(spec.volumes?.map(({ name }) => name));
  const attached = new Set(
    status?.volumeStatus
      ?.filter(({ phase, hotplugVolume }) => hotplugVolume === undefined || phase === 'Ready')
      .map(({ name }) => name),
  );
  return (spec.domain.devices.disks ?? [])
    .filter(({ cdrom }) => cdrom !== undefined)
    .map(({ name }) => name)
    .filter((name) => declared.has(name) && (attached.has(name) || (before?.media?.includes(name) ?? true)))
    .sort();
}
