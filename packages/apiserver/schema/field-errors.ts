import type { Json } from '../json.ts';
import type { FieldError } from '../status.ts';

/** Creates field errors with the messages of apimachinery's field package. An empty `field` is the object itself. */
export const fieldErrors = {
  invalid(field: string, value: Json | undefined, detail: string): FieldError {
    return error(field, 'FieldValueInvalid', `Invalid value: ${shown(value)}`, detail);
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
  duplicate(field: string, value: Json | undefined): FieldError {
    return error(field, 'FieldValueDuplicate', `Duplicate value: ${shown(value)}`);
  },
  notSupported(field: string, value: Json | undefined, supported: readonly string[]): FieldError {
    const list = supported.map((each) => JSON.stringify(each)).join(', ');
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
  return JSON.stringify(value ?? null);
}
