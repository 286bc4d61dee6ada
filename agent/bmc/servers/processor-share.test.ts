import { expect, it } from 'vitest';
import type { Clock } from '@groundcrew/controller-runtime';
import { Contention } from './contention.ts';
import { type Lane, ProcessorShare } from './processor-share.ts';

interface Due {
  at: number;
  work: () => void;
}

/** One processor: arrivals and timers in order, each of which makes the time pass that it costs. All times in ms. */
class Processor implements Clock {
  #now = 0;
  /** In order. */
  readonly #arrivals: Due[] = [];
  readonly #timers = new Set<Due>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  spend(cost: number): void {
    this.#now += cost;
  }

  at(at: number, work: () => void): void {
    this.#arrivals.push({ at, work });
  }

  setTimeout(work: () => void, delay: number): { cancel: () => void } {
    const timer = { at: this.#now + delay, work };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  run(until: number): void {
    const arrivals = this.#arrivals.values();
    let arrival = arrivals.next().value;
    for (;;) {
      const [first] = [...this.#timers].toSorted((one, other) => one.at - other.at);
      const isTimer = first !== undefined && first.at < (arrival?.at ?? Infinity);
      const next = isTimer ? first : arrival;
      if (next === undefined || next.at > until) return;
      if (isTimer) this.#timers.delete(next);
      else arrival = arrivals.next().value;
      this.#now = Math.max(this.#now, next.at);
      next.work();
    }
  }
}

/** @param users BMCs that use the processor */
function bench(users = 20) {
  const processor = new Processor();
  const contention = { note: () => undefined, users };
  const share = new ProcessorShare({ now: () => processor.now(), clock: processor, contention });
  const done: string[] = [];
  const offer = (lane: Lane, cost: number, name: string = lane): void => {
    const work = (): void => {
      processor.spend(cost);
      done.push(name);
    };
    void share.run(lane, work, (isFull) => void done.push(isFull ? 'full' : 'late'));
  };
  const count = (name: string): number => done.filter((each) => each === name).length;
  return { processor, share, done, offer, count };
}

it('does the work of a BMC at once while it has time left', () => {
  const { offer, done } = bench();
  for (let i = 0; i < 100; i += 1) offer('request', 1);
  expect(done).toHaveLength(100);
});

it.each([
  [1, 0.25],
  [2, 0.125],
  [20, 0.05],
])(
  'of %d BMCs that are used, gives a flooded one its burst and %d of the time, and refuses the rest',
  (users, part) => {
    const { processor, offer, count, done } = bench(users);
    for (let ms = 0; ms < 20_000; ms += 1)
      processor.at(ms, () => {
        offer('login', 1);
      });
    processor.run(20_000);
    const spent = count('login') * 1.03;
    expect(spent).toBeGreaterThan(250 + 20_000 * part * 0.8);
    expect(spent).toBeLessThan(252 + 20_000 * part);
    expect(count('full')).toBe(done.length - count('login') - count('late'));
  },
);

it('answers packets of an open session during a flood of log-ins', () => {
  const { processor, offer, count } = bench();
  for (let ms = 0; ms < 10_000; ms += 1)
    processor.at(ms, () => {
      offer('login', 1);
    });
  for (let ms = 5_000; ms < 9_000; ms += 500)
    processor.at(ms, () => {
      offer('packet', 0.1);
    });
  processor.run(11_000);
  expect(count('packet')).toBe(8);
});

it('refuses what has waited too long', async () => {
  const { processor, offer, done } = bench();
  offer('request', 1_000, 'long');
  offer('packet', 1, 'waits');
  processor.run(100_000);
  await Promise.resolve();
  // 750 ms are overdrawn: 15 s of its part.
  expect(done).toEqual(['long', 'late']);
});

it('returns the answer of work that waited, and its error', async () => {
  const { processor, share } = bench();
  const refuse = (): number => 0;
  expect(share.run('request', () => 1, refuse)).toBe(1);
  processor.spend(0);
  void share.run(
    'request',
    () => {
      processor.spend(300);
    },
    (): void => undefined,
  );
  const answers = [
    share.run('request', () => 2, refuse),
    share.run('request', () => Promise.reject(new Error('failed')), refuse),
  ];
  processor.run(10_000);
  expect(await answers[0]).toBe(2);
  await expect(answers[1]).rejects.toThrow('failed');
});

/** Times of requests of 499 BMCs, 1 ms apart, while another BMC is offered this much. */
function timesOfOthers(flood: (offer: (lane: Lane, cost: number) => void) => void): number[] {
  const processor = new Processor();
  const now = (): number => processor.now();
  const contention = new Contention(now);
  const shareOf = (): ProcessorShare => new ProcessorShare({ now, clock: processor, contention });
  const shares = Array.from({ length: 500 }, shareOf);
  const times: number[] = [];
  const run = (bmc: number, lane: Lane, cost: number, then: () => void = () => undefined): void => {
    const work = (): void => {
      processor.spend(cost);
      then();
    };
    void shares[bmc]?.run(lane, work, () => {
      processor.spend(0.002);
    });
  };
  for (let ms = 0; ms < 10_000; ms += 1) {
    processor.at(ms, () => {
      flood((lane, cost) => {
        run(0, lane, cost);
      });
    });
    processor.at(ms, () => {
      run(1 + (ms % 499), 'request', 0.4, () => times.push(processor.now() - ms));
    });
  }
  processor.run(20_000);
  // After the burst.
  return times.slice(2_000).toSorted((a, b) => a - b);
}

it('keeps the p99 of 499 BMCs within twice that of idle while one is flooded', () => {
  const p99 = (times: readonly number[]): number => times[Math.floor(times.length * 0.99)] ?? NaN;
  const idle = timesOfOthers(() => undefined);
  const flooded = timesOfOthers((offer) => {
    for (let i = 0; i < 20; i += 1) offer('login', 0.1);
    offer('request', 0.5);
    offer('handshake', 0.3);
  });
  expect([idle.length, flooded.length]).toEqual([8_000, 8_000]);
  expect(p99(flooded)).toBeLessThan(2 * p99(idle));
});
