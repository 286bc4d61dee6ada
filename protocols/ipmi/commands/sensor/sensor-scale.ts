import type { SensorReading, SensorUnit } from '../../../machine/index.ts';

type NumberReading = Extract<SensorReading, { kind: 'Number' }>;

/**
 * Conversion between a byte and a number, IPMI 2.0 §36.3: y = (M·x + B·10^bExponent)·10^rExponent in the unit. With only 256 values,
 * a wide range has coarse steps. Steps are powers of two if possible, so that memory sizes are exact.
 */
export interface SensorScale {
  /** 1 to 511 */
  readonly m: number;
  /** −512 to 511 */
  readonly b: number;
  readonly bExponent: number;
  readonly rExponent: number;
  readonly isPercentage: boolean;
  /** Sensor unit type code, IPMI 2.0 table 43-15. */
  readonly baseUnit: number;
  readonly perSecond: boolean;
  /** Factor between the machine's unit and the record's. */
  readonly divisor: number;
}

const STEPS = 255;
const LARGEST_FACTOR = 511;
const LARGEST_STEP = 256;
const LARGEST_EXPONENT = 7;

const UNIT_CODE = { unspecified: 0, second: 22, megabyte: 72, gigabyte: 73 };
const GIBIBYTE = 1024;

const UNITS: Record<SensorUnit, Pick<SensorScale, 'isPercentage' | 'baseUnit' | 'perSecond'>> = {
  Percent: { isPercentage: true, baseUnit: UNIT_CODE.unspecified, perSecond: false },
  MiB: { isPercentage: false, baseUnit: UNIT_CODE.megabyte, perSecond: false },
  Count: { isPercentage: false, baseUnit: UNIT_CODE.unspecified, perSecond: false },
  Seconds: { isPercentage: false, baseUnit: UNIT_CODE.second, perSecond: false },
  'MiB/s': { isPercentage: false, baseUnit: UNIT_CODE.megabyte, perSecond: true },
};

export function scaleOf({ unit, min, max }: NumberReading): SensorScale {
  const isLarge = unit === 'MiB' && max - min > STEPS * LARGEST_STEP;
  const divisor = isLarge ? GIBIBYTE : 1;
  return {
    ...UNITS[unit],
    ...(isLarge && { baseUnit: UNIT_CODE.gigabyte }),
    divisor,
    ...factorsFor(Math.floor(min / divisor), Math.ceil(max / divisor)),
  };
}

/** The byte closest to a value. */
export function rawOf(value: number, scale: SensorScale): number {
  const origin = scale.b * 10 ** (scale.bExponent + scale.rExponent);
  const steps = Math.round((value / scale.divisor - origin) / (scale.m * 10 ** scale.rExponent));
  return Math.min(Math.max(steps, 0), STEPS);
}

function factorsFor(min: number, max: number): Pick<SensorScale, 'm' | 'b' | 'bExponent' | 'rExponent'> {
  for (let rExponent = 0; rExponent < LARGEST_EXPONENT; rExponent += 1) {
    const { b, bExponent, origin } = originFor(min, rExponent);
    const m = stepFor((max - origin) / 10 ** rExponent / STEPS);
    if (m <= LARGEST_FACTOR) return { m, b, bExponent, rExponent };
  }
  return { m: LARGEST_FACTOR, ...originFor(min, LARGEST_EXPONENT), rExponent: LARGEST_EXPONENT };
}

/** The largest possible B that is not above `min`. */
function originFor(min: number, rExponent: number): { b: number; bExponent: number; origin: number } {
  let bExponent = 0;
  const bOf = (): number => Math.floor(min / 10 ** (bExponent + rExponent));
  while (Math.abs(bOf()) > LARGEST_FACTOR && bExponent < LARGEST_EXPONENT) bExponent += 1;
  const b = Math.min(Math.max(bOf(), -LARGEST_FACTOR), LARGEST_FACTOR);
  return { b, bExponent, origin: b * 10 ** (bExponent + rExponent) };
}

function stepFor(width: number): number {
  const power = 2 ** Math.max(Math.ceil(Math.log2(width)), 0);
  return power <= LARGEST_STEP ? power : Math.ceil(width);
}
