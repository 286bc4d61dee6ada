import type { Json } from '../json.ts';
import type { FieldError } from '../status.ts';
import { fieldErrors } from './field-errors.ts';
import { goFloat, goValue } from './go-text.ts';
import { compilePattern } from './patterns.ts';
import type { Schema } from './schema.ts';

/** Only the first of these errors is listed. */
export function stringErrors(value: string, { minLength, maxLength, pattern }: Schema, path: string): FieldError[] {
  const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(value);
  if (maxLength !== undefined && length > maxLength) return [fieldErrors.tooLong(path, maxLength)];
  if (minLength !== undefined && length < minLength)
    return [fieldErrors.invalid(path, value, `${path} in body should be at least ${minLength} chars long`)];
  if (pattern !== undefined && pattern !== '' && !compilePattern(pattern).test(value))
    return [fieldErrors.invalid(path, value, `${path} in body should match '${pattern}'`)];
  return [];
}

/** Characters as Go counts them. */
function codePoints(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

export function numberErrors(value: number, schema: Schema, path: string): FieldError[] {
  const { multipleOf, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  // Go compares integers as integers: fractions of bounds are cut off.
  const isInteger = Number.isInteger(value);
  const shown = isInteger ? goValue : goFloat;
  const bound = (number = NaN) => (isInteger ? Math.trunc(number) : number);
  const [minimum, maximum] = [bound(schema.minimum), bound(schema.maximum)];
  const errors: FieldError[] = [];
  const refuse = (text: string) => errors.push(fieldErrors.invalid(path, value, `${path} in body should be ${text}`));
  if (multipleOf !== undefined && !isMultiple(value, bound(multipleOf)))
    refuse(`a multiple of ${shown(bound(multipleOf))}`);
  if (exclusiveMinimum ? value <= minimum : value < minimum)
    refuse(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${shown(minimum)}`);
  if (exclusiveMaximum ? value >= maximum : value > maximum)
    refuse(`less than ${exclusiveMaximum ? '' : 'or equal to '}${shown(maximum)}`);
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
