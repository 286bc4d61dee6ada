import type { MachineEvent } from '../../../protocols/machine/index.ts';

/** What a machine was seen as, as far as its event log tells of it. */
export interface ObservedState {
  readonly power: 'On' | 'Off';
  /** UID of the VMI that ran then, or last; each is another life of the machine. */
  readonly vmi?: string;
  /** CD-ROM drives with something in them, by name and in order; not known of a machine that was never seen with power. */
  readonly media?: readonly string[];
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

function missing(from: readonly string[] | undefined, among: readonly string[] | undefined): readonly string[] {
  return from === undefined || among === undefined ? [] : from.filter((slot) => !among.includes(slot));
}
