import { arrayOr, isObject, objectOr, type Json, type JsonObject } from '../json.ts';
import { badRequest, StatusError, type FieldError } from '../status.ts';
import { decodeMetadata } from './decode.ts';
import { fieldErrors, goJson } from './field-errors.ts';
import { nameRules, ownerErrors } from './name-rules.ts';
import { fieldPath, propertyOf, type Schema } from './schema.ts';

/**
 * Decodes the metadata of objects within an object (`x-kubernetes-embedded-resource`), in place, and returns the paths of
 * its unknown fields. Throws 400 where the metadata, kind or apiVersion have other types.
 */
export function coerceEmbedded(object: JsonObject, schema: Schema, metadata: Schema): string[] {
  const unknown: string[] = [];
  walk(object, schema, '', (resource, path) => {
    for (const key of ['apiVersion', 'kind']) {
      if (resource[key] !== undefined && typeof resource[key] !== 'string')
        throw badRequest(`${path}.${key}: Invalid value: ${goJson(resource[key])}: must be a string`);
    }
    const own = resource['metadata'];
    if (own === undefined) return;
    try {
      if (!isObject(own)) throw badRequest(`json: cannot unmarshal ${typeof own} into Go value of type v1.ObjectMeta`);
      const fields = decodeMetadata(own, metadata);
      unknown.push(...fields.map((field) => `${path}.metadata.${field}`));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      throw badRequest(`${path}.metadata: Invalid value: ${goJson(own)}: ${error.message}`);
    }
  });
  return unknown.sort((a, b) => (a < b ? -1 : 1));
}

/** What is wrong with the kind, apiVersion and metadata of objects within an object. */
export function embeddedErrors(object: Json | undefined, schema: Schema, path = ''): FieldError[] {
  const errors: FieldError[] = [];
  walk(object, schema, path, (resource, where) => errors.push(...resourceErrors(resource, where)));
  return errors;
}

function walk(
  value: Json | undefined,
  schema: Schema,
  path: string,
  visit: (resource: JsonObject, path: string) => void,
): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined)
      value.forEach((item, index) => {
        walk(item, items, `${path}[${index}]`, visit);
      });
  } else if (isObject(value)) {
    if (schema['x-kubernetes-embedded-resource'] === true) visit(value, path);
    for (const key of Object.keys(value)) {
      const property = propertyOf(schema, key);
      if (property === undefined) continue;
      const isNamed = Object.hasOwn(schema.properties ?? {}, key);
      walk(value[key], property, isNamed ? fieldPath(path, key) : `${path}[${key}]`, visit);
    }
  }
}

function resourceErrors(resource: JsonObject, path: string): FieldError[] {
  const { apiVersion, kind, metadata } = resource;
  const errors = ['apiVersion', 'kind']
    .filter((key) => resource[key] === undefined)
    .map((key) => fieldErrors.required(`${path}.${key}`));
  if (apiVersion !== undefined) errors.push(...apiVersionErrors(apiVersion, `${path}.apiVersion`));
  if (kind !== undefined) errors.push(...kindErrors(kind, `${path}.kind`));
  if (metadata !== undefined) errors.push(...metadataErrors(objectOr(metadata), `${path}.metadata`));
  return errors;
}

function apiVersionErrors(value: Json, field: string): FieldError[] {
  if (typeof value !== 'string') return [fieldErrors.invalid(field, value, 'must be a string')];
  if (value === '') return [fieldErrors.invalid(field, value, 'must not be empty')];
  if (value.split('/').length <= 2) return [];
  return [fieldErrors.invalid(field, value, `unexpected GroupVersion string: ${value}`)];
}

function kindErrors(value: Json, field: string): FieldError[] {
  if (typeof value !== 'string') return [fieldErrors.invalid(field, value, 'must be a string')];
  if (value === '') return [fieldErrors.invalid(field, value, 'must not be empty')];
  const problems = nameRules.dns1035Label(value.toLowerCase());
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [fieldErrors.invalid(field, value, detail)];
}

/** The part of metav1.ObjectMeta that people write in templates. */
function metadataErrors(metadata: JsonObject, path: string): FieldError[] {
  const { name, generateName, namespace } = metadata;
  const errors: FieldError[] = [];
  const add = (field: string, value: string, problems: string[]): void => {
    errors.push(...problems.map((problem) => fieldErrors.invalid(`${path}.${field}`, value, problem)));
  };
  if (typeof generateName === 'string') add('generateName', generateName, nameRules.pathSegment(generateName));
  if (typeof name === 'string') add('name', name, nameRules.pathSegment(name));
  if (typeof namespace === 'string' && namespace !== '') add('namespace', namespace, nameRules.dns1123Label(namespace));
  for (const [key, value] of Object.entries(objectOr(metadata['labels']))) {
    add('labels', key, nameRules.qualifiedName(key));
    if (typeof value === 'string') add('labels', value, nameRules.labelValue(value));
  }
  for (const key of Object.keys(objectOr(metadata['annotations'])))
    add('annotations', key, nameRules.qualifiedName(key.toLowerCase()));
  errors.push(...ownerErrors(arrayOr(metadata['ownerReferences']), `${path}.ownerReferences`));
  for (const finalizer of arrayOr(metadata['finalizers']))
    if (typeof finalizer === 'string') add('finalizers', finalizer, nameRules.qualifiedName(finalizer));
  return errors;
}
