import { beforeEach, expect, it } from 'vitest';
import { BusyPoll } from './busy-poll.ts';

let now: number;
let turns: (() => void)[];
let awake: BusyPoll;

beforeEach(() => {
  now = 5;
  turns = [];
  awake = new BusyPoll({ now: () => now, nextTurn: (work) => turns.push(work) });
});

function turn(at: number): void {
  now = at;
  for (const work of turns.splice(0)) work();
}

it('keeps the event loop turning for 0.1 ms after the last answer, with one turn scheduled at a time', () => {
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

it('rests for a second when another process took the processor for more than 1 ms', () => {
  awake.extend();
  turn(6.1);
  expect(turns).toHaveLength(0);
  now = 1_006;
  awake.extend();
  expect(turns).toHaveLength(0);
  now = 1_006.1;
  awake.extend();
  expect(turns).toHaveLength(1);
});
