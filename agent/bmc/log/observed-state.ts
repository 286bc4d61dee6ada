import type { MachineEvent } from '../../../protocols/machine/index.ts';

/** The state of a machine, as far as its event log records it. */
export interface ObservedState {
  readonly power: 'On' | 'Off';
  /** UID of the running or last VMI. Another UID means that the machine was off in between. */
  readonly vmi?: string;
  /** Names of the CD-ROM drives with a medium, sorted; unknown until the machine was seen with power. */
  readonly media?: readonly string[];
}

/** The events between two states; none without a previous state. */
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
