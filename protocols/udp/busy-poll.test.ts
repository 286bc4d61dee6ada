import { beforeEach, expect, it } from 'vitest';
import { BusyPoll, type BusyPollOptions } from './busy-poll.ts';

let now: number;
let turns: (() => void)[];
let awake: BusyPoll;

beforeEach(() => {
  now = 5;
  turns = [];
  awake = busyPoll();
});

function busyPoll(options: Pick<BusyPollOptions, 'leastRest' | 'poll'> = {}): BusyPoll {
  return new BusyPoll({ now: () => now, nextTurn: (work) => turns.push(work), ...options });
}

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
  now = 1_005;
  awake.extend();
  expect(turns).toHaveLength(0);
  now = 1_006.1;
  awake.extend();
  expect(turns).toHaveLength(1);
});

/** ms of the rest after a turn of 2 ms. */
function restOf(): number {
  awake.extend();
  turn(now + 2);
  const start = now;
  for (; turns.length === 0 && now < start + 5_000; now += 1) awake.extend();
  turn(now);
  return now - start;
}

it('rests for less after answers, and twice as long after each such turn, if that is wanted', () => {
  awake = busyPoll({ leastRest: 10 });
  for (let answers = 0; answers < 70; answers += 1) awake.extend();
  const first = restOf();
  expect(first).toBeGreaterThan(450);
  expect(first).toBeLessThan(550);
  const second = restOf();
  expect(second).toBeGreaterThan(1.9 * first);
  expect(restOf()).toBeLessThan(1_100);
  for (let answers = 0; answers < 10_000; answers += 1) awake.extend();
  expect(restOf()).toBeLessThan(12);
});

it('looks for packets itself, and lets the event loop turn after 1 ms of them', () => {
  let looks = 0;
  awake = busyPoll({
    poll: () => {
      looks += 1;
      now += 0.01;
      if (looks % 5 === 0) awake.extend();
      return looks % 5 === 0;
    },
  });
  awake.extend();
  turn(now);
  expect(now).toBeGreaterThan(6);
  expect(now).toBeLessThan(6.1);
  expect(turns).toHaveLength(1);
});

it('lets the event loop turn at once if only that can tell whether there are packets', () => {
  let looks = 0;
  awake = busyPoll({
    poll: () => {
      looks += 1;
      return undefined;
    },
  });
  awake.extend();
  turn(now);
  expect([looks, turns.length]).toEqual([1, 1]);
});

it('stops to look 0.1 ms after the last answer', () => {
  awake = busyPoll({
    poll: () => {
      now += 0.01;
      return false;
    },
  });
  awake.extend();
  turn(now);
  expect(now).toBeLessThan(5.2);
  expect(turns).toHaveLength(0);
});
