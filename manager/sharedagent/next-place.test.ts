import { describe, expect, it } from 'vitest';
import { MOST_SHARED_AGENTS } from '../../api/index.ts';
import { nextPlace } from './next-place.ts';

const taken = (...agents: (readonly [agent: number, ...slots: number[]])[]) =>
  new Map(agents.map(([agent, ...slots]) => [agent, new Set(slots)]));

describe('the place of one more BMC', () => {
  it.each([
    ['the first agent', taken(), { agent: 0, slot: 0 }],
    ['the agent with the fewest', taken([0, 0, 1], [1, 0]), { agent: 1, slot: 1 }],
    ['the first of equal ones', taken([1, 0], [0, 0]), { agent: 0, slot: 1 }],
    ['the lowest slot that is free', taken([0, 1]), { agent: 0, slot: 0 }],
    ['a new agent, if the others are full', taken([0, 0, 1, 2], [2, 0, 1, 2]), { agent: 1, slot: 0 }],
    ['one with room, also if another one has more than it may', taken([0, 0, 1, 2, 7], [1, 9]), { agent: 1, slot: 0 }],
  ])('is in %s', (_, slots, place) => {
    expect(nextPlace(slots, 3)).toEqual(place);
  });

  it('does not exist in a namespace whose agents are all full', () => {
    const full = Array.from({ length: MOST_SHARED_AGENTS }, (_, agent): [number, number] => [agent, 0]);
    expect(nextPlace(taken(...full), 1)).toBeUndefined();
  });
});
