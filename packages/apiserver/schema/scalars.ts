import type { Json } from '../json.ts';
import type { FieldError } from '../status.ts';
import { fieldErrors } from './field-errors.ts';
import { compilePattern } from './patterns.ts';
import type { Schema } from './schema.ts';
import { isIPv4, isIPv6 } from 'node:net';

/** The first error of a string. */
export function stringErrors(value: string, { minLength, maxLength, pattern }: Schema, path: string): FieldError[] {
  const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(value);
  if (maxLength !== undefined && length > maxLength) return [fieldErrors.tooLong(path, maxLength)];
  if (minLength !== undefined && length < minLength)
    return [fieldErrors.invalid(path, value, `${path} in body should be at least ${minLength} chars long`)];
  if (pattern !== undefined && pattern !== '' && !compilePattern(pattern).test(value))
    return [fieldErrors.invalid(path, value, `${path} in body should match '${pattern}'`)];
  return [];
}

/** The length of a string in code points, as in Go. */
function codePoints(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

export function numberErrors(value: number, schema: Schema, path: string): FieldError[] {
  const { multipleOf, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  // Go truncates the bounds of integers.
  const isInteger = Number.isInteger(value);
  const bound = (number = NaN) => (isInteger ? Math.trunc(number) : number);
  const [minimum, maximum] = [bound(schema.minimum), bound(schema.maximum)];
  const errors: FieldError[] = [];
  const refuse = (text: string) => errors.push(fieldErrors.invalid(path, value, `${path} in body should be ${text}`));
  if (multipleOf !== undefined && !isMultiple(value, bound(multipleOf))) refuse(`a multiple of ${bound(multipleOf)}`);
  if (exclusiveMinimum ? value <= minimum : value < minimum)
    refuse(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
  if (exclusiveMaximum ? value >= maximum : value > maximum)
    refuse(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  return errors;
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return factor > 0 && Math.abs(quotient - Math.round(quotient)) <= 1e-9;
}

export function enumErrors(value: Json | undefined, { enum: choices }: Schema, path: string): FieldError[] {
  if (choices === undefined || choices.length === 0) return [];
  const text = value === undefined ? 'null' : JSON.stringify(value);
  if (choices.some((choice) => choice === value || JSON.stringify(choice) === text)) return [];
  const supported = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
  return [fieldErrors.notSupported(path, value ?? null, supported)];
}

const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;

const GO_DURATION = /^([+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/;
/** A number and a unit anywhere in the text: `3 days`. */
const WORDED_DURATION =
  /\d\s*(?:(?:ns|us|µs|ms|s|sec|m|min|h|hr|d|w|wk)(?![A-Za-zµ])|nano|micro|milli|sec|min|hour|day|week)/i;

/** The string formats that kube-apiserver enforces (strfmt). The names have no dashes: lookups ignore dashes. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  ipv4: isIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  cidr: isCidr,
  mac: (text) =>
    /^([\da-f]{2}([:-])(?:[\da-f]{2}\2){4}(?:(?:[\da-f]{2}\2){2}|(?:[\da-f]{2}\2){14})?[\da-f]{2}|[\da-f]{4}(?:\.[\da-f]{4}){2}(?:\.[\da-f]{4}|(?:\.[\da-f]{4}){7})?)$/i.test(
      text,
    ),
  uri: isRequestUri,
  email: (text) => /^(?:[^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text.trim()),
  datetime: isDateTime,
  date: isDate,
  duration: (text) => GO_DURATION.test(text) || WORDED_DURATION.test(text),
  uuid: (text) => /^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i.test(text),
  hostname: (text) =>
    HOSTNAME.test(text) && text.length <= 255 && text.split('.').every((label) => Buffer.byteLength(label) <= 63),
  byte: (text) => /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=|[A-Za-z\d+/]{4})$/.test(text),
};

export function hasFormat(text: string, format: string | undefined): boolean {
  const check = checkOf(format);
  return check === undefined || check(text);
}

/** Whether the server validates the format. */
export function isEnforced(format: string | undefined): boolean {
  return checkOf(format) !== undefined;
}

function checkOf(format: string | undefined): ((text: string) => boolean) | undefined {
  if (format === undefined) return undefined;
  const name = normalised(format);
  return Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
}

function normalised(format: string): string {
  return format.replaceAll('-', '');
}

function isCidr(text: string): boolean {
  const [address = '', length = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(length)) return false;
  if (isIPv4(address)) return Number(length) <= 32;
  return isIPv6(address) && !address.includes('%') && Number(length) <= 128;
}

/** An absolute URI, or an absolute path. */
function isRequestUri(text: string): boolean {
  return !/[\u0000-\u0020\u007f]/.test(text) && (text.startsWith('/') || URL.canParse(text));
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const match = /^(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)$/.exec(time);
  return isDate(date) && match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}
