import { type Json, isObject } from '../json.ts';
import type { FieldError } from '../status.ts';

/** Makes errors of fields in the words of apimachinery's field package. An empty `field` is the object itself. */
export const fieldErrors = {
  invalid(field: string, value: Json | undefined, detail: string): FieldError {
    return error(field, 'FieldValueInvalid', `Invalid value: ${shown(value)}`, detail);
  },
  /** `text`: the value as it is to be shown. */
  invalidShown(field: string, text: string, detail: string): FieldError {
    return error(field, 'FieldValueInvalid', `Invalid value: ${text}`, detail);
  },
  typeInvalid(field: string, value: Json | undefined, detail: string): FieldError {
    return error(field, 'FieldValueTypeInvalid', `Invalid value: ${shown(value)}`, detail);
  },
  required(field: string, detail = ''): FieldError {
    return error(field, 'FieldValueRequired', 'Required value', detail);
  },
  forbidden(field: string, detail: string): FieldError {
    return error(field, 'FieldValueForbidden', 'Forbidden', detail);
  },
  notFound(field: string, value: Json | undefined): FieldError {
    return error(field, 'FieldValueNotFound', `Not found: ${shown(value)}`);
  },
  duplicate(field: string, value: Json | undefined): FieldError {
    return error(field, 'FieldValueDuplicate', `Duplicate value: ${shown(value)}`);
  },
  notSupported(field: string, value: Json | undefined, supported: readonly string[]): FieldError {
    const list = supported.map(quoted).join(', ');
    return error(field, 'FieldValueNotSupported', `Unsupported value: ${shown(value)}`, `supported values: ${list}`);
  },
  tooLong(field: string, maximum: number): FieldError {
    const detail = `may not be more than ${maximum} ${maximum === 1 ? 'byte' : 'bytes'}`;
    return error(field, 'FieldValueTooLong', 'Too long', detail);
  },
  tooMany(field: string, actual: number, maximum: number): FieldError {
    const detail = `must have at most ${maximum} ${maximum === 1 ? 'item' : 'items'}`;
    return error(field, 'FieldValueTooMany', `Too many: ${actual}`, detail);
  },
};

function error(field: string, reason: FieldError['reason'], what: string, detail = ''): FieldError {
  return { field: field === '' ? '<nil>' : field, reason, message: detail === '' ? what : `${what}: ${detail}` };
}

function shown(value: Json | undefined): string {
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'object' ? goJson(value) : goValue(value);
}

/** A string as Go's `%q` shows it. */
export function quoted(text: string): string {
  let result = '';
  for (const character of text) result += ESCAPES[character] ?? escaped(character);
  return `"${result}"`;
}

const ESCAPES: Readonly<Record<string, string | undefined>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code < 0x7f || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character)) return character;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** A value as Go's json.Marshal writes it: keys in order, and no character that HTML knows. */
export function goJson(value: Json | undefined): string {
  return JSON.stringify(sorted(value ?? null)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${hex(character.charCodeAt(0), 4)}`,
  );
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}

/** A number or text as Go's `%v` shows it; whole numbers as integers. */
export function goValue(value: Json | undefined): string {
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? value.toFixed(0) : goFloat(value);
  return typeof value === 'string' ? value : goJson(value);
}

/** A float64 as Go's `%v` shows it: with an exponent from a million on. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const scientific = value.toExponential();
  const exponent = Number(scientific.split('e')[1]);
  if (exponent >= -4 && exponent < 6) return String(value);
  // At least two digits.
  return scientific.replace(/e([+-])(\d)$/, 'e$10$2');
}
