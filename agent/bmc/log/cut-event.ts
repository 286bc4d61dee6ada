import type { MachineEvent } from '../../../protocols/machine/index.ts';

/** Characters of a text in an entry: 512 entries stay under what a ConfigMap may hold (1 MiB), however they are escaped. */
const MAX_TEXT = 64;

/** The event with its texts, which clients choose, cut to a length that fits the log. */
export function cutEvent(event: MachineEvent): MachineEvent {
  return cut(event) as MachineEvent; // texts alone are another, and stay texts
}

function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT - 1)}…`;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner)]));
}
