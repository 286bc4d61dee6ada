import { FieldManager, FieldSet } from '../apply/index.ts';
import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Resource, Strategy } from '../resources/index.ts';
import type { Schema } from '../schema/index.ts';
import { forbidden, type ResourceName } from '../status.ts';
import { customColumns } from '../tables/index.ts';
import { isConditionTrue } from './conditions.ts';
import { conversionOf } from './conversion.ts';
import { customValidation } from './custom-validation.ts';

/** The resources that an accepted CustomResourceDefinition serves under its accepted names, one for each served version. */
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
  // The schema was checked with the definition.
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

/** No object is created while the definition is being deleted. */
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
