import { MOST_SHARED_AGENTS } from '../../api/index.ts';

/** A place in a shared agent of a namespace: the agent's index, and the slot that gives the BMC its ports. */
export interface Place {
  agent: number;
  slot: number;
}

/** The taken slots of a namespace by the index of the agent. */
export type TakenSlots = ReadonlyMap<number, Slots>;

type Slots = Pick<ReadonlySet<number>, 'size' | 'has'>;

/**
 * The place of one more BMC: in the agent with the fewest BMCs of those that exist and have room, else in a new one. The others stay
 * where they are.
 *
 * @param capacity most BMCs of one agent, from 1 to `MOST_SHARED_BMCS`
 * @returns undefined if the namespace can have no further agent
 */
export function nextPlace(taken: TakenSlots, capacity: number): Place | undefined {
  let best: { agent: number; slots: Slots } | undefined;
  for (const [agent, slots] of taken) {
    if (slots.size === 0 || slots.size >= capacity) continue;
    const isBetter =
      best === undefined || slots.size < best.slots.size || (slots.size === best.slots.size && agent < best.agent);
    if (isBetter) best = { agent, slots };
  }
  if (best !== undefined) return { agent: best.agent, slot: lowestFree((slot) => best.slots.has(slot)) };
  const agent = lowestFree((index) => (taken.get(index)?.size ?? 0) > 0);
  return agent < MOST_SHARED_AGENTS ? { agent, slot: 0 } : undefined;
}

function lowestFree(isTaken: (number: number) => boolean): number {
  let number = 0;
  while (isTaken(number)) number += 1;
  return number;
}
