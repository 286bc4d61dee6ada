import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SensorUnit } from '../../../machine/index.ts';
import { rawOf, scaleOf, type SensorScale } from './sensor-scale.ts';

/** Converts a byte as clients do, IPMI 2.0 §36.3, to the machine's unit. */
function read(raw: number, { m, b, bExponent, rExponent, divisor }: SensorScale): number {
  return (m * raw + b * 10 ** bExponent) * 10 ** rExponent * divisor;
}

function scale(unit: SensorUnit, min: number, max: number): SensorScale {
  return scaleOf({ kind: 'Number', unit, min, max, value: undefined });
}

describe('the scale of a sensor', () => {
  it.each<[SensorUnit, number, Partial<SensorScale>]>([
    ['Percent', 100, { m: 1, b: 0, rExponent: 0, isPercentage: true, baseUnit: 0 }],
    ['Count', 255, { m: 1, b: 0, rExponent: 0, baseUnit: 0 }],
    ['MiB', 4096, { m: 32, b: 0, rExponent: 0, baseUnit: 72, divisor: 1 }],
    ['MiB', 65_280, { m: 256, b: 0, rExponent: 0, baseUnit: 72, divisor: 1 }],
    ['MiB', 131_072, { m: 1, b: 0, rExponent: 0, baseUnit: 73, divisor: 1024 }],
    ['Seconds', 86_400, { m: 339, b: 0, rExponent: 0, baseUnit: 22 }],
    ['MiB/s', 1_000_000, { m: 393, b: 0, rExponent: 1, baseUnit: 72, perSecond: true }],
  ])('of %s up to %i has the factors %j', (unit, max, factors) => {
    expect(scale(unit, 0, max)).toMatchObject(factors);
  });

  it.each([512, 1024, 1536, 2048, 4096, 6144, 8192, 12_288, 16_384, 32_768, 65_536, 98_304, 262_144])(
    'encodes %i MiB exactly in the range of the next power of two',
    (mebibytes) => {
      const range = scale('MiB', 0, 2 ** Math.ceil(Math.log2(mebibytes)));
      expect(read(rawOf(mebibytes, range), range)).toBe(mebibytes);
    },
  );

  it.each([
    ['Seconds', 22],
    ['MiB', 72],
    ['MiB/s', 72],
  ] as const)('encodes %s as unit %i', (unit, code) => {
    expect(scale(unit, 0, 200).baseUnit).toBe(code);
  });

  it('has an error of at most half a step, and factors that fit the record', () => {
    const range = fc
      .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 1, max: 100_000_000 }))
      .map(([min, width]) => ({ min, max: min + width }));
    const units = fc.constantFrom<SensorUnit>('Percent', 'MiB', 'Count', 'Seconds', 'MiB/s');
    fc.assert(
      fc.property(units, range, fc.double({ min: 0, max: 1, noNaN: true }), (unit, { min, max }, at) => {
        const factors = scale(unit, min, max);
        const value = min + at * (max - min);
        const raw = rawOf(value, factors);
        const step = factors.m * 10 ** factors.rExponent * factors.divisor;
        expect(raw).toBeGreaterThanOrEqual(0);
        expect(raw).toBeLessThanOrEqual(255);
        expect(Math.abs(read(raw, factors) - value)).toBeLessThanOrEqual(step / 2 + 1e-6 * Math.abs(value));
        expect(factors.m).toBeGreaterThan(0);
        expect(factors.m).toBeLessThanOrEqual(511);
        expect(Math.abs(factors.b)).toBeLessThanOrEqual(511);
        expect([factors.bExponent, factors.rExponent].every((exponent) => exponent >= 0 && exponent <= 7)).toBe(true);
      }),
    );
  });
});
