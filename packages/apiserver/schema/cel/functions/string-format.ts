import { goFloat, quoted } from '../../go-text.ts';
import { durationText, timestampText } from '../time.ts';
import {
  CelError,
  DurationValue,
  ListValue,
  MapValue,
  TimestampValue,
  typeNameOf,
  TypeValue,
  UintValue,
  type CelValue,
} from '../values.ts';

/** What each clause takes, in the words of errors. */
export const CLAUSES: Readonly<Record<string, string | undefined>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  o: 'octal clause can only be used on integers',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
};

/** `'%s of %d'.format([…])`. Throws CelError. */
export function formatText(template: string, values: readonly CelValue[]): string {
  return interpolate(template, values.length, (letter, precision, index) =>
    clause(letter, precision, values[index] ?? null),
  );
}

/** Puts what `show` returns in the place of each clause. Throws CelError where the template cannot be read. */
export function interpolate(
  template: string,
  size: number,
  show: (letter: string, precision: number | undefined, index: number) => string,
): string {
  let index = 0;
  return template.replace(/%(?:%|(\.\d*)?([^]?))/gu, (found, precision: string | undefined, letter = '') => {
    if (found === '%%') return '%';
    if (found === '%') throw new CelError('unexpected end of string');
    if (index >= size) throw new CelError(`index ${index} out of range`);
    const digits = precisionOf(precision, letter as string);
    if (CLAUSES[letter as string] === undefined)
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${letter}"`);
    index += 1;
    return show(letter as string, digits, index - 1);
  });
}

function precisionOf(text: string | undefined, letter: string): number | undefined {
  if (text === undefined) return undefined;
  const problem = 'could not parse formatting clause: error while parsing precision';
  if (letter === '') throw new CelError(`${problem}: could not find end of precision specifier`);
  if (text === '.')
    throw new CelError(
      `${problem}: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`,
    );
  return Number(text.slice(1));
}

function clause(letter: string, precision: number | undefined, value: CelValue): string {
  switch (letter) {
    case 's':
      return shown(value);
    case 'd':
      return decimal(value);
    case 'f':
      return fixed(value, precision ?? 6);
    case 'e':
      return exponential(value, precision ?? 6);
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return based(value, 2, letter);
    case 'o':
      return based(value, 8, letter);
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    default:
      throw problem(letter, value);
  }
}

function shown(value: CelValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return goFloat(value);
  if (value instanceof DurationValue) return durationText(value.nanoseconds);
  if (value instanceof TimestampValue) return timestampText(value.nanoseconds);
  return Buffer.isBuffer(value) ? value.toString('utf8') : literal(value);
}

/** Values in lists and maps are shown as they would be written in CEL. */
function literal(value: CelValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value.toFixed(6) : quoted(goFloat(value));
  if (value instanceof UintValue) return String(value.value);
  if (value instanceof DurationValue) return `duration(${quoted(durationText(value.nanoseconds))})`;
  if (value instanceof TimestampValue) return `timestamp(${quoted(timestampText(value.nanoseconds))})`;
  if (Buffer.isBuffer(value)) return `b${quoted(value.toString('utf8'))}`;
  if (value instanceof ListValue) return `[${[...value].map(literal).join(', ')}]`;
  if (value instanceof MapValue) {
    const entries = value.keys().map((key) => `${literal(key)}:${literal(value.find(key) ?? null)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  if (value instanceof TypeValue) return value.type;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  throw problem('s', value);
}

function decimal(value: CelValue): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof UintValue) return String(value.value);
  throw problem('d', value);
}

/** In the locale en_US. */
function fixed(value: CelValue, precision: number): string {
  const digits = Math.min(precision, 100);
  return double(value, 'f').toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** cel-go takes the precision for a width, which numbers fill as a rule. */
function exponential(value: CelValue, width: number): string {
  const number = double(value, 'e');
  if (!Number.isFinite(number)) return number.toLocaleString('en-US');
  const [mantissa = '', exponent = '0'] = number.toExponential(6).split('e');
  const power = Math.abs(Number(exponent)).toString().padStart(2, '0');
  const raised = Array.from(power, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)] ?? '').join('');
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`.padStart(width);
}

function double(value: CelValue, letter: string): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  throw problem(letter, value);
}

function based(value: CelValue, base: number, letter: string): string {
  if (typeof value === 'bigint') return value.toString(base);
  if (value instanceof UintValue) return value.value.toString(base);
  throw problem(letter, value);
}

function hexadecimal(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (Buffer.isBuffer(value)) return value.toString('hex');
  return based(value, 16, 'x');
}

function problem(letter: string, value: CelValue): CelError {
  return new CelError(`error during formatting: ${CLAUSES[letter]}, was given ${typeNameOf(value)}`);
}
