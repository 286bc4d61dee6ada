import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '@groundcrew/controller-runtime';
import { RememberedBundle } from './listener-policy.ts';

const CA: ObjectRef = { namespace: 'n', name: 'ca' };

function bench(read: (times: number) => Promise<string[]> = (times) => Promise.resolve([`PEM ${times}`])) {
  const clock = { now: 0 };
  const asked: string[] = [];
  const bundle = new RememberedBundle(
    ({ name }) => {
      asked.push(name);
      return read(asked.length);
    },
    () => clock.now,
  );
  return { bundle, clock, asked };
}

describe('the certificates of a ConfigMap', () => {
  it('are read once for all who ask within 10 s, and anew for who asks later', async () => {
    const { bundle, clock, asked } = bench();
    expect(await Promise.all([bundle.of(CA), bundle.of(CA)])).toEqual([['PEM 1'], ['PEM 1']]);
    clock.now = 9_999;
    expect(await bundle.of(CA)).toEqual(['PEM 1']);
    clock.now = 10_000;
    expect(await bundle.of(CA)).toEqual(['PEM 2']);
    expect(asked).toEqual(['ca', 'ca']);
  });

  it('are read at once where another is named', async () => {
    const { bundle, asked } = bench();
    await bundle.of(CA);
    await bundle.of({ ...CA, name: 'other' });
    expect(asked).toEqual(['ca', 'other']);
  });

  it('are read again where they could not be, by whoever asks next', async () => {
    const { bundle } = bench((times) => (times === 1 ? Promise.reject(new Error('no')) : Promise.resolve(['PEM'])));
    const both = await Promise.allSettled([bundle.of(CA), bundle.of(CA)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await bundle.of(CA)).toEqual(['PEM']);
  });
});
