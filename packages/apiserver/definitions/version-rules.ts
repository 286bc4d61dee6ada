import { arrayOr, at, isObject, textOr, type Json, type JsonObject } from '../json.ts';
import { fieldErrors, type Schema } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { followFieldPath } from './field-path.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_SELECTABLE_FIELDS = 8;

/** What is wrong with `subresources`. */
export function subresourceErrors(subresources: Json | undefined, path: string): FieldError[] {
  const scale = at(subresources, 'scale');
  if (!isObject(scale)) return [];
  const labelSelector = textOr(scale['labelSelectorPath']);
  return [
    ...replicasPath(textOr(scale['specReplicasPath']), 'spec', `${path}.scale.specReplicasPath`),
    ...replicasPath(textOr(scale['statusReplicasPath']), 'status', `${path}.scale.statusReplicasPath`),
    ...(labelSelector === '' ? [] : labelSelectorPath(labelSelector, `${path}.scale.labelSelectorPath`)),
  ];
}

function replicasPath(value: string, part: 'spec' | 'status', field: string): FieldError[] {
  if (value === '') return [fieldErrors.required(field)];
  const problems = jsonPathErrors(value, field);
  if (problems.length > 0 || value.startsWith(`.${part}.`)) return problems;
  return [fieldErrors.invalid(field, value, `should be a json path under .${part}`)];
}

function labelSelectorPath(value: string, field: string): FieldError[] {
  const problems = jsonPathErrors(value, field);
  if (problems.length > 0 || /^\.(spec|status)\./.test(value)) return problems;
  return [fieldErrors.invalid(field, value, 'should be a json path under either .spec or .status')];
}

function jsonPathErrors(value: string, field: string): FieldError[] {
  return value.startsWith('.') ? [] : [fieldErrors.invalid(field, value, 'must be a simple json path starting with .')];
}

/** What is wrong with `additionalPrinterColumns`. */
export function columnErrors(columns: Json | undefined, path: string): FieldError[] {
  return arrayOr(columns)
    .filter(isObject)
    .flatMap((column, index) => oneColumn(column, `${path}[${index}]`));
}

function oneColumn(column: JsonObject, path: string): FieldError[] {
  const [name, type, format, jsonPath] = ['name', 'type', 'format', 'jsonPath'].map((key) => textOr(column[key]));
  const errors: FieldError[] = [];
  if (name === '') errors.push(fieldErrors.required(`${path}.name`));
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (type === '') errors.push(fieldErrors.required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type ?? '')) errors.push(fieldErrors.invalid(`${path}.type`, type, types));
  if (format !== '' && !COLUMN_FORMATS.includes(format ?? ''))
    errors.push(fieldErrors.invalid(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  if (jsonPath === '') errors.push(fieldErrors.required(`${path}.JSONPath`));
  else errors.push(...jsonPathErrors(jsonPath ?? '', `${path}.JSONPath`));
  return errors;
}

/** What is wrong with `selectableFields`. */
export function selectableFieldErrors(fields: Json | undefined, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  arrayOr(fields).forEach((field, index) => {
    const text = textOr(at(field, 'jsonPath'));
    errors.push(...oneSelectableField(text, schema, `${path}[${index}].jsonPath`, seen));
  });
  if (seen.size > MAX_SELECTABLE_FIELDS) errors.push(fieldErrors.tooMany(path, seen.size, MAX_SELECTABLE_FIELDS));
  return errors;
}

function oneSelectableField(text: string, schema: Schema, field: string, seen: Set<string>): FieldError[] {
  if (text === '') return [fieldErrors.required(field)];
  const errors: FieldError[] = [];
  try {
    const { path, schema: found } = followFieldPath(text, schema, false);
    if (path === 'metadata' || path.startsWith('metadata.'))
      errors.push(fieldErrors.invalid(field, text, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(found.type ?? ''))
      errors.push(
        fieldErrors.invalid(
          field,
          text,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      );
    if (seen.has(path)) errors.push(fieldErrors.duplicate(field, text));
    seen.add(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    errors.push(fieldErrors.invalid(field, text, `is an invalid path: ${reason}`));
  }
  return errors;
}

/** What is wrong with `deprecationWarning`. */
export function deprecationErrors(version: JsonObject, path: string): FieldError[] {
  const { deprecated, deprecationWarning: text } = version;
  if (typeof text !== 'string') return [];
  const field = `${path}.deprecationWarning`;
  if (deprecated !== true) return [fieldErrors.invalid(field, text, 'can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(text) > 256) errors.push(fieldErrors.invalid(field, text, 'must be <= 256 characters long'));
  if (text === '') errors.push(fieldErrors.invalid(field, text, 'must not be an empty string'));
  const bad = Array.from(text).findIndex((character) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character));
  if (bad !== -1) {
    const index = Buffer.byteLength(Array.from(text).slice(0, bad).join(''));
    const detail = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`;
    errors.push(fieldErrors.invalid(field, text, detail));
  }
  return errors;
}
