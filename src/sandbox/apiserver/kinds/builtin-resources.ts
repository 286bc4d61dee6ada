import { FieldManager, FieldSet } from '../apply/index.ts';
import { BUILTIN_KINDS, type BuiltinKind, type Resource, type Strategy } from '../resources/index.ts';
import { validate, type BuiltinSchemas, type Schema } from '../schema/index.ts';
import { builtinColumns } from '../tables/index.ts';
import { SELECTABLE_FIELDS } from './selectable-fields.ts';

/** Kinds that insist on the resourceVersion in a PUT. */
const CONDITIONAL = new Set([
  'coordination.k8s.io/leases',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
]);

/** The built-in kinds as resources. `strategies`: by collection. */
export function builtinResources(schemas: BuiltinSchemas, strategies: Readonly<Record<string, Strategy>>): Resource[] {
  return BUILTIN_KINDS.map((kind) => resourceOf(kind, schemas.get(kind.schema), strategies));
}

function resourceOf(kind: BuiltinKind, schema: Schema, strategies: Readonly<Record<string, Strategy>>): Resource {
  const collection = `${kind.group}/${kind.plural}`;
  const status = FieldSet.of(['f:status']);
  const spec = FieldSet.of(['f:spec']);
  return {
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.kind.toLowerCase(),
    shortNames: kind.shortNames ?? [],
    categories: kind.categories ?? [],
    namespaced: kind.namespaced,
    collection,
    schema,
    fieldManager: new FieldManager(schema, (subresource) =>
      subresource === 'status' ? spec : kind.status === true ? status : FieldSet.empty,
    ),
    custom: false,
    hasStatus: kind.status === true,
    scale:
      kind.scale === true
        ? {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.spec.selector',
          }
        : undefined,
    hasGeneration: kind.generation === true,
    returnsDeleted: kind.returnsDeleted === true,
    unconditionalUpdate: !CONDITIONAL.has(collection),
    columns: builtinColumns(collection),
    selectableFields: SELECTABLE_FIELDS[collection] ?? {},
    strategy: strategies[collection] ?? {},
    validate: (object) => validateParts(object, schema),
  };
}

/** By the schema, without metadata, which has its own rules, and status, which only controllers write. */
function validateParts(object: Parameters<Resource['validate']>[0], schema: Schema) {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    if (['apiVersion', 'kind', 'metadata', 'status'].includes(key)) return [];
    if ((object[key] ?? null) !== null) return validate(object[key], property, key);
    return schema.required?.includes(key) === true
      ? [{ field: key, reason: 'FieldValueRequired' as const, message: 'Required value' }]
      : [];
  });
}
