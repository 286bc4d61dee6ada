import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sleep } from '../clock.ts';
import { FakeClock } from '../testing/index.ts';
import { Queue } from './queue.ts';

/** One call to the queue, some time after the previous one. */
interface Call {
  pause: number;
  name: string;
  /** Milliseconds; 0 means `add`. */
  delay: number;
}

interface Wish {
  name: string;
  /** Order among all adds and starts of work, and the latest time at which the work should start. */
  order: number;
  due: number;
}

interface Work {
  name: string;
  order: number;
  start: number;
}

const calls: fc.Arbitrary<Call[]> = fc.array(
  fc.record({
    pause: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(30)),
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    delay: fc.oneof(fc.constant(0), fc.nat(60)),
  }),
  { maxLength: 60, size: 'max' },
);

/** Milliseconds of each piece of work, in turn. */
const durations = fc.array(fc.nat(20), { minLength: 1, maxLength: 10 });

/** Makes the calls to a queue with that many workers until it is idle, and records adds and work. */
async function play(script: readonly Call[], workers: number, takes: readonly number[]) {
  const clock = new FakeClock(0);
  const queue = new Queue({ name: 'test', clock });
  const wishes: Wish[] = [];
  const works: Work[] = [];
  const running = new Set<string>();
  let order = 0;
  let overlaps = 0;
  const work = async (): Promise<void> => {
    for (let ref = await queue.take(); ref !== undefined; ref = await queue.take()) {
      if (running.has(ref.name)) overlaps += 1;
      running.add(ref.name);
      works.push({ name: ref.name, order: (order += 1), start: clock.now() });
      await sleep(clock, takes[works.length % takes.length] ?? 0, new AbortController().signal);
      running.delete(ref.name);
      queue.done(ref);
    }
  };
  const all = Promise.all(Array.from({ length: workers }, work));
  for (const { pause, name, delay } of script) {
    if (pause > 0) await clock.advance(pause);
    wishes.push({ name, order: (order += 1), due: clock.now() + delay });
    if (delay === 0) queue.add({ name });
    else queue.addAfter({ name }, delay);
  }
  await clock.advance(5000);
  queue.close();
  await all;
  return { wishes, works, overlaps, timers: clock.timers };
}

describe('Queue with random calls', () => {
  it('never hands out a name that is in progress', async () => {
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 1, max: 5 }), durations, async (script, workers, takes) => {
        const { overlaps } = await play(script, workers, takes);
        expect(overlaps).toBe(0);
      }),
    );
  });

  it('loses no add: work on the name begins after each add', async () => {
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 1, max: 5 }), durations, async (script, workers, takes) => {
        const { wishes, works, timers } = await play(script, workers, takes);
        for (const wish of wishes) {
          expect(works.some(({ name, order }) => name === wish.name && order > wish.order)).toBe(true);
        }
        expect(works.length).toBeLessThanOrEqual(wishes.length);
        expect(timers).toBe(0);
      }),
    );
  });

  it('is not late: with a free worker, work begins at the earliest requested time', async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (script) => {
        const { wishes, works } = await play(script, script.length + 1, [0]);
        for (const wish of wishes) {
          const first = works.find(({ name, order }) => name === wish.name && order > wish.order);
          expect(first?.start).toBeLessThanOrEqual(wish.due);
        }
      }),
    );
  });

  it('does no unrequested work: each piece of work begins at a due time', async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (script) => {
        const { wishes, works } = await play(script, script.length + 1, [0]);
        for (const work of works) {
          expect(
            wishes.some(({ name, due, order }) => name === work.name && order < work.order && due === work.start),
          ).toBe(true);
        }
      }),
    );
  });
});
