import { expect, it } from 'vitest';
import { BusyPoll } from './busy-poll.ts';

it('keeps the event loop turning for 0.1 ms after the last answer, with one turn scheduled at a time', () => {
  let now = 5;
  const turns: (() => void)[] = [];
  const turn = (at: number): void => {
    now = at;
    for (const work of turns.splice(0)) work();
  };
  const awake = new BusyPoll({ now: () => now, nextTurn: (work) => turns.push(work) });
  awake.extend();
  awake.extend();
  expect(turns).toHaveLength(1);
  turn(5.09);
  awake.extend();
  turn(5.18);
  expect(turns).toHaveLength(1);
  turn(5.2);
  expect(turns).toHaveLength(0);
  awake.extend();
  expect(turns).toHaveLength(1);
});
