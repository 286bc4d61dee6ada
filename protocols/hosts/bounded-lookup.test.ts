import { setImmediate as settled } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { boundedLookup, LOOKUP_PATIENCE, LOOKUPS_AT_ONCE, MAX_LOOKUPS } from './bounded-lookup.ts';

/** Lookups and timers that the test completes explicitly. */
class Bench {
  readonly asked: string[] = [];
  readonly timers = new Set<{ work: () => void; delay: number }>();
  readonly #answers = new Map<string, PromiseWithResolvers<readonly string[]>>();
  readonly find = boundedLookup({
    lookup: (hostName) => {
      this.asked.push(hostName);
      const answer = Promise.withResolvers<readonly string[]>();
      this.#answers.set(hostName, answer);
      return answer.promise;
    },
    schedule: (work, delay) => {
      const timer = { work, delay };
      this.timers.add(timer);
      return () => this.timers.delete(timer);
    },
  });

  /** The final outcome for the caller. */
  outcome(hostName: string): Promise<unknown> {
    return this.find(hostName).catch((error: unknown) => error);
  }

  async answer(hostName: string, addresses: readonly string[] | Error): Promise<void> {
    const answer = this.#answers.get(hostName);
    if (addresses instanceof Error) answer?.reject(addresses);
    else answer?.resolve(addresses);
    await settled();
  }

  async passPatience(): Promise<void> {
    for (const { work } of [...this.timers]) work();
    await settled();
  }
}

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

describe('a bounded lookup', () => {
  it('returns the addresses or the error of the underlying lookup', async () => {
    const found = bench.outcome('a.example');
    await bench.answer('a.example', ['192.0.2.1']);
    expect(await found).toEqual(['192.0.2.1']);
    const missing = bench.outcome('a.example');
    await bench.answer('a.example', new Error('ENOTFOUND'));
    expect(await missing).toMatchObject({ message: 'ENOTFOUND' });
    expect(bench.timers.size).toBe(0);
  });

  it('shares one lookup between concurrent callers', async () => {
    const outcomes = [bench.outcome('a.example'), bench.outcome('a.example')];
    expect(bench.asked).toEqual(['a.example']);
    await bench.answer('a.example', ['192.0.2.1']);
    expect(await Promise.all(outcomes)).toEqual([['192.0.2.1'], ['192.0.2.1']]);
  });

  it('times out', async () => {
    const outcome = bench.outcome('silent.example');
    expect([...bench.timers].map(({ delay }) => delay)).toEqual([LOOKUP_PATIENCE]);
    await bench.passPatience();
    expect(await outcome).toMatchObject({ code: 'LookupTimeout', message: 'nothing is known of its name after 5 s' });
  });
});

describe('lookups that do not finish', () => {
  const silent = Array.from({ length: LOOKUPS_AT_ONCE }, (_, index) => `silent-${index}.example`);

  it('fill the available places; the next in the queue gets the first free place', async () => {
    const first = silent.map((name) => bench.outcome(name));
    const waiting = ['b.example', 'c.example'].map((name) => bench.outcome(name));
    await settled();
    expect(bench.asked).toEqual(silent);
    await bench.answer(silent[0] ?? '', new Error('EAI_AGAIN'));
    expect(await first[0]).toMatchObject({ message: 'EAI_AGAIN' });
    expect(bench.asked).toEqual([...silent, 'b.example']);
    await bench.answer('b.example', ['192.0.2.2']);
    await bench.answer('c.example', ['192.0.2.3']);
    expect(await Promise.all(waiting)).toEqual([['192.0.2.2'], ['192.0.2.3']]);
  });

  it('are not started for a caller whose timeout passed in the queue', async () => {
    const outcomes = [...silent, 'late.example'].map((name) => bench.outcome(name));
    await bench.passPatience();
    for (const outcome of outcomes) expect(await outcome).toMatchObject({ code: 'LookupTimeout' });
    for (const name of silent) await bench.answer(name, ['192.0.2.1']);
    expect(bench.asked).toEqual(silent);
    const next = bench.outcome('next.example');
    await bench.answer('next.example', ['192.0.2.4']);
    expect(await next).toEqual(['192.0.2.4']);
  });

  it('are refused at once while the queue is full', async () => {
    const outcomes = Array.from({ length: MAX_LOOKUPS }, (_, index) => bench.outcome(`${index}.example`));
    expect(await bench.outcome('beyond.example')).toMatchObject({
      code: 'TooManyLookups',
      message: 'too many names are being looked up: try again later',
    });
    await bench.passPatience();
    await Promise.all(outcomes);
    const next = bench.outcome('0.example');
    await bench.answer('0.example', ['192.0.2.5']);
    expect(await next).toEqual(['192.0.2.5']);
  });
});
