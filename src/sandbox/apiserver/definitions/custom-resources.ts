import { FieldManager, FieldSet } from '../apply/index.ts';
import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Resource, ScalePaths } from '../resources/index.ts';
import { validate, type CelRules, type Schema } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { customColumns } from '../tables/index.ts';

const UNCHECKED: FieldError = {
  field: '<nil>',
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};
/** Errors after which CEL rules might trip over what they find. */
const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** The resources that an accepted CustomResourceDefinition serves, one for each served version. */
export function customResources(definition: ApiObject, metadata: Schema, rules: CelRules): Resource[] {
  return arrayOr(at(definition, 'spec', 'versions'))
    .filter(isObject)
    .filter(({ served }) => served === true)
    .map((version) => resourceOf(definition, version, metadata, rules));
}

function resourceOf(definition: ApiObject, version: JsonObject, metadata: Schema, rules: CelRules): Resource {
  const spec = objectOr(definition['spec']);
  const names = objectOr(spec['names']);
  const group = textOr(spec['group']);
  const plural = textOr(names['plural']);
  // The definition was validated: this is a structural schema.
  const own = objectOr(at(version, 'schema', 'openAPIV3Schema')) as Schema;
  const schema: Schema = {
    ...own,
    properties: { ...own.properties, apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata },
  };
  const hasStatus = isObject(at(version, 'subresources', 'status'));
  const hasRules = JSON.stringify(own).includes('"x-kubernetes-validations"');
  return {
    group,
    version: textOr(version['name']),
    kind: textOr(names['kind']),
    listKind: textOr(names['listKind']),
    plural,
    singular: textOr(names['singular']),
    shortNames: arrayOr(names['shortNames']).map(textOr),
    categories: arrayOr(names['categories']).map(textOr),
    namespaced: spec['scope'] === 'Namespaced',
    collection: `${group}/${plural}`,
    schema,
    fieldManager: new FieldManager(schema, (subresource) => resetFields(schema, subresource, hasStatus)),
    custom: true,
    hasStatus,
    scale: scaleOf(at(version, 'subresources', 'scale')),
    hasGeneration: true,
    returnsDeleted: false,
    unconditionalUpdate: false,
    columns: customColumns(version['additionalPrinterColumns']),
    selectableFields: selectable(version['selectableFields']),
    strategy: {},
    validate: (object, previous) => validateObject(object, previous, own, hasRules ? rules : undefined),
  };
}

function resetFields(schema: Schema, subresource: string | undefined, hasStatus: boolean): FieldSet {
  if (subresource === undefined) return hasStatus ? FieldSet.of(['f:status']) : FieldSet.empty;
  return Object.keys(schema.properties ?? {})
    .filter((key) => key !== 'status')
    .reduce((set, key) => set.union(FieldSet.of([`f:${key}`])), FieldSet.empty);
}

function validateObject(
  object: JsonObject,
  previous: JsonObject | undefined,
  schema: Schema,
  rules: CelRules | undefined,
): FieldError[] {
  const { metadata, ...rest } = object;
  const { metadata: limits, ...properties } = schema.properties ?? {};
  // Of metadata a CRD's schema may restrict the name only.
  const name = limits === undefined ? [] : validate({ name: objectOr(metadata)['name'] }, limits, 'metadata');
  const errors = [
    ...name,
    ...validate(rest, { ...schema, properties, required: (schema.required ?? []).filter((key) => key !== 'metadata') }),
  ];
  if (rules === undefined) return errors;
  if (errors.some(({ reason }) => BLOCKING.has(reason))) return [...errors, UNCHECKED];
  return [...errors, ...rules.check(object, previous, schema)];
}

function scaleOf(scale: Json | undefined): ScalePaths | undefined {
  if (!isObject(scale)) return undefined;
  const labelSelectorPath = textOr(scale['labelSelectorPath']);
  return {
    specReplicasPath: textOr(scale['specReplicasPath']),
    statusReplicasPath: textOr(scale['statusReplicasPath']),
    ...(labelSelectorPath === '' ? {} : { labelSelectorPath }),
  };
}

function selectable(fields: Json | undefined): Resource['selectableFields'] {
  const paths = arrayOr(fields).map((field) => textOr(at(field, 'jsonPath')).replace(/^\./, ''));
  return Object.fromEntries(
    paths.map((path) => [
      path,
      (object: ApiObject) => {
        const value = at(object, ...path.split('.'));
        return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
      },
    ]),
  );
}
