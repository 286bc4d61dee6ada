import { hasEnded, type VirtualMachineInstance } from '../../../api/index.ts';
import type { MachineEvent } from '../../../protocols/machine/index.ts';

/** What a machine was seen as, as far as its event log tells of it. */
export interface ObservedState {
  readonly power: 'On' | 'Off';
  /** UID of the VMI that ran then, or last; each is another life of the machine. */
  readonly vmi?: string;
  /** CD-ROM drives with something in them, by name and in order; not known of a machine that was never seen with power. */
  readonly media?: readonly string[];
}

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

/** What happened between two observedStates. Of a machine that was never seen before nothing is known to have happened. */
export function diffEvents(before: ObservedState | undefined, now: ObservedState): MachineEvent[] {
  if (before === undefined) return [];
  const hasLostPower = before.power === 'On' && (now.power === 'Off' || before.vmi !== now.vmi);
  const hasGotPower = now.power === 'On' && (before.power === 'Off' || before.vmi !== now.vmi);
  return [
    ...(hasLostPower ? [{ kind: 'PowerState', state: 'Off' } as const] : []),
    ...(hasGotPower ? [{ kind: 'PowerState', state: 'On' } as const] : []),
    ...missing(before.media, now.media).map((slot) => ({ kind: 'Media', change: 'Ejected', slot }) as const),
    ...missing(now.media, before.media).map((slot) => ({ kind: 'Media', change: 'Inserted', slot }) as const),
  ];
}

/** Reads a stored observed state; undefined if the value is not one. */
export function readObservedState(value: unknown): ObservedState | undefined {
  if (typeof value !== 'object' || value === null || !('power' in value)) return undefined;
  const { power } = value;
  if (power !== 'On' && power !== 'Off') return undefined;
  const vmi = 'vmi' in value && typeof value.vmi === 'string' ? { vmi: value.vmi } : {};
  if (!('media' in value) || !Array.isArray(value.media)) return { power, ...vmi };
  return { power, ...vmi, media: value.media.filter((slot) => typeof slot === 'string') };
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

function missing(from: readonly string[] | undefined, among: readonly string[] | undefined): readonly string[] {
  return from === undefined || among === undefined ? [] : from.filter((slot) => !among.includes(slot));
}
