import { BOOL, DOUBLE, INT, QUANTITY, STRING } from '../types.ts';
import { CelError, OpaqueValue } from '../values.ts';
import { member, plain, type Functions } from './declaration.ts';

const FORM = /^([+-]?)(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d+)?$/;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Quantities are kept in billionths; finer ones are rounded up. */
const SCALE = 9;

/** Kubernetes' library of quantities (`500m`, `1Gi`). */
export const QUANTITIES: Functions = {
  quantity: [plain([STRING], QUANTITY, (text: string) => Quantity.parse(text))],
  isQuantity: [plain([STRING], BOOL, (text: string) => FORM.test(text))],
  sign: [plain([QUANTITY], INT, (value: Quantity) => BigInt(value.compareTo(new Quantity(0n))))],
  isGreaterThan: [member([QUANTITY, QUANTITY], BOOL, (a: Quantity, b: Quantity) => a.compareTo(b) > 0)],
  isLessThan: [member([QUANTITY, QUANTITY], BOOL, (a: Quantity, b: Quantity) => a.compareTo(b) < 0)],
  compareTo: [member([QUANTITY, QUANTITY], INT, (a: Quantity, b: Quantity) => BigInt(a.compareTo(b)))],
  asApproximateFloat: [member([QUANTITY], DOUBLE, (value: Quantity) => Number(value.billionths) / 10 ** SCALE)],
  asInteger: [member([QUANTITY], INT, asInteger)],
  isInteger: [member([QUANTITY], BOOL, (value: Quantity) => value.integer !== undefined)],
  add: [
    member([QUANTITY, QUANTITY], QUANTITY, (a: Quantity, b: Quantity) => new Quantity(a.billionths + b.billionths)),
    member([QUANTITY, INT], QUANTITY, (a: Quantity, b: bigint) => new Quantity(a.billionths + whole(b))),
  ],
  sub: [
    member([QUANTITY, QUANTITY], QUANTITY, (a: Quantity, b: Quantity) => new Quantity(a.billionths - b.billionths)),
    member([QUANTITY, INT], QUANTITY, (a: Quantity, b: bigint) => new Quantity(a.billionths - whole(b))),
  ],
};

class Quantity extends OpaqueValue {
  readonly typeName = 'kubernetes.Quantity';
  readonly billionths: bigint;

  constructor(billionths: bigint) {
    super();
    this.billionths = billionths;
  }

  static parse(text: string): Quantity {
    const match = FORM.exec(text);
    if (match === null)
      throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    const [, sign, digits = '', suffix = ''] = match;
    const [units = '', fraction = ''] = digits.split('.');
    const binary = BINARY.indexOf(suffix) + 1;
    const exponent = /^[eE][+-]?\d/.test(suffix) ? Number(suffix.slice(1)) : (DECIMAL[suffix] ?? 0);
    const value = BigInt(units + fraction) * 1024n ** BigInt(binary);
    const scaled = shift(value, SCALE + exponent - fraction.length);
    return new Quantity(sign === '-' ? -scaled : scaled);
  }

  /** Undefined where it is none, or not one of 64 bits. */
  get integer(): bigint | undefined {
    const value = this.billionths / 10n ** BigInt(SCALE);
    return value * 10n ** BigInt(SCALE) === this.billionths && BigInt.asIntN(64, value) === value ? value : undefined;
  }

  compareTo(other: Quantity): number {
    return this.billionths < other.billionths ? -1 : this.billionths > other.billionths ? 1 : 0;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Quantity && other.billionths === this.billionths;
  }
}

function shift(value: bigint, digits: number): bigint {
  if (digits >= 0) return value * 10n ** BigInt(digits);
  const divisor = 10n ** BigInt(-digits);
  return (value + divisor - 1n) / divisor;
}

function whole(value: bigint): bigint {
  return value * 10n ** BigInt(SCALE);
}

function asInteger(value: Quantity): bigint {
  const { integer } = value;
  if (integer === undefined) throw new CelError('cannot convert value to integer');
  return integer;
}
