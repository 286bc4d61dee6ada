import { FieldManager } from '../apply/field-manager.ts';
import { FieldSet } from '../apply/field-set.ts';
import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Resource, Strategy } from '../resources/index.ts';
import { type Schema, Correlation, duplicateItems, fieldErrors, ruleErrors, validate } from '../schema/index.ts';
import { forbidden, type ResourceName, type FieldError } from '../status.ts';
import { customColumns } from '../tables/custom-columns.ts';
import { isConditionTrue } from './accept-names.ts';
import { conversionOf } from './conversion.ts';

/** The resources of a CustomResourceDefinition under its accepted names, one per served version. */
export function customResources(definition: ApiObject, metadata: Schema): Resource[] {
  return arrayOr(at(definition, 'spec', 'versions'))
    .filter(isObject)
    .filter(({ served }) => served === true)
    .map((version) => resourceOf(definition, version, metadata));
}

function resourceOf(definition: ApiObject, version: JsonObject, metadata: Schema): Resource {
  const spec = objectOr(definition['spec']);
  const names = objectOr(at(definition, 'status', 'acceptedNames'));
  const group = textOr(spec['group']);
  const plural = textOr(names['plural']);
  // The schema has been validated with the definition.
  const own = objectOr(at(version, 'schema', 'openAPIV3Schema')) as Schema;
  const schema: Schema = {
    ...own,
    properties: { ...own.properties, apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata },
  };
  const hasStatus = isObject(at(version, 'subresources', 'status'));
  const name = textOr(version['name']);
  return {
    group,
    version: name,
    kind: textOr(names['kind']),
    listKind: textOr(names['listKind']),
    plural,
    singular: textOr(names['singular']),
    shortNames: arrayOr(names['shortNames']).map(textOr),
    categories: arrayOr(names['categories']).map(textOr),
    namespaced: spec['scope'] === 'Namespaced',
    collection: `${group}/${plural}`,
    schema,
    fieldManager: new FieldManager(schema, { reset: (subresource) => resetFields(subresource, hasStatus) }),
    custom: true,
    hasStatus,
    hasGeneration: true,
    returnsDeleted: false,
    unconditionalUpdate: false,
    createsOnUpdate: false,
    columns: customColumns(version['additionalPrinterColumns']),
    selectableFields: selectable(version['selectableFields']),
    strategy: isConditionTrue(definition, 'Terminating')
      ? terminating({ group, plural, kind: textOr(names['kind']) })
      : {},
    validate: customValidation(own),
    ...conversionOf(definition, `${group}/${name}`),
  };
}

/** Refuses the creation of objects during the deletion of the definition. */
function terminating(resource: ResourceName): Strategy {
  return {
    prepareCreate({ metadata }) {
      throw forbidden(resource, metadata.name, 'create not allowed while custom resource definition is terminating');
    },
  };
}

function resetFields(subresource: string | undefined, hasStatus: boolean): FieldSet {
  if (subresource === 'status') return FieldSet.of(['f:spec']);
  return hasStatus ? FieldSet.of(['f:status']) : FieldSet.empty;
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

const UNCHECKED = fieldErrors.invalid(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);
/** CEL rules are not evaluated after these errors: values do not match the schema. */
const BLOCKING: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
] as const);

/**
 * The validation of custom resources by the schema of their version, in the order of kube-apiserver's checks. In
 * updates, errors of unchanged parts are omitted.
 */
function customValidation(
  schema: Schema,
): (object: JsonObject, previous: JsonObject | undefined, subresource: string | undefined) => FieldError[] {
  const hasRules = JSON.stringify(schema).includes('"x-kubernetes-validations"');
  return (object, previous, subresource) => {
    const isStatus = subresource === 'status';
    const correlation = previous === undefined ? undefined : new Correlation(object, previous, schema);
    const errors = isStatus ? statusErrors(object, schema, correlation) : validate(object, schema, { correlation });
    if (previous === undefined || duplicateItems(previous, schema).length === 0)
      errors.push(...duplicateItems(object, schema));
    if (!hasRules) return errors;
    if (errors.some(({ reason }) => BLOCKING.has(reason))) return [...errors, UNCHECKED];
    return [...errors, ...ruleErrors(object, previous, schema, correlation)];
  };
}

/** The errors of a status write, which is validated by the schema of the status only. */
function statusErrors(object: JsonObject, schema: Schema, correlation: Correlation | undefined): FieldError[] {
  const status = schema.properties?.['status'];
  if (status === undefined || object['status'] === undefined) return [];
  return validate(object['status'], status, { at: 'status', correlation: correlation?.key('status') });
}
