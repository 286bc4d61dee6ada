import { hasEnded, type VirtualMachineInstance } from '../../../api/index.ts';
import type { ObservedState } from '../log/observed-state.ts';

/**
 * What is seen now, or was seen before where nothing new can be said: a guest that starts has no power yet, and one whose node
 * does not answer may or may not have it.
 */
export function sightOf(
  vmi: VirtualMachineInstance | undefined,
  before: ObservedState | undefined,
): ObservedState | undefined {
  if (vmi === undefined || hasEnded(vmi)) return { ...before, power: 'Off' };
  if (vmi.status?.phase !== 'Running') return before;
  const { uid } = vmi.metadata;
  // No VMI comes back: whoever has seen its end knows more than this one does.
  if (uid !== undefined && before?.power === 'Off' && before.vmi === uid) return before;
  return { power: 'On', ...(uid === undefined ? {} : { vmi: uid }), media: mediaOf(vmi, before) };
}

/** A volume that is still on its way into a new guest is where it was before: in the drive, or not yet. */
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
