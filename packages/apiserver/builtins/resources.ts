import { FieldManager } from '../apply/field-manager.ts';
import { FieldSet } from '../apply/field-set.ts';
import { isObject, type Json, type JsonObject, at, textOr } from '../json.ts';
import { BUILTIN_KINDS, type BuiltinKind, type Resource, type Strategy } from '../resources/index.ts';
import { fieldErrors, propertyOf, validate, zeroValue, type BuiltinSchemas, type Schema } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { builtinColumns } from '../tables/builtin-columns.ts';
import type { ApiObject } from '../objects.ts';

/** Kinds that require the resourceVersion in a PUT. */
const CONDITIONAL = new Set([
  'coordination.k8s.io/leases',
  'policy/poddisruptionbudgets',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
]);

/** Kinds for which a PUT creates the object if it does not exist. */
const CREATED_BY_PUT = new Set([
  '/events',
  '/services',
  'coordination.k8s.io/leases',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/rolebindings',
]);

/** The fields that a status write does not change, besides the spec. */
const KEPT_BY_STATUS: Readonly<Record<string, string[][]>> = {
  deployments: [['f:metadata', 'f:labels']],
  pods: [
    ['f:metadata', 'f:deletionTimestamp'],
    ['f:metadata', 'f:ownerReferences'],
  ],
};

/**
 * The built-in kinds as resources.
 *
 * @param strategies by collection
 */
export function builtinResources(schemas: BuiltinSchemas, strategies: Readonly<Record<string, Strategy>>): Resource[] {
  return BUILTIN_KINDS.map((kind) => resourceOf(kind, schemas.get(kind.schema), strategies));
}

function resourceOf(kind: BuiltinKind, schema: Schema, strategies: Readonly<Record<string, Strategy>>): Resource {
  const collection = `${kind.group}/${kind.plural}`;
  const strategy = strategies[collection] ?? {};
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
    fieldManager: new FieldManager(schema, {
      reset: (subresource) => resetFields(kind, subresource),
      zero: zeroValue(schema),
    }),
    custom: false,
    hasStatus: kind.status === true,
    hasGeneration: kind.generation === true,
    returnsDeleted: kind.returnsDeleted === true,
    unconditionalUpdate: !CONDITIONAL.has(collection),
    createsOnUpdate: CREATED_BY_PUT.has(collection),
    columns: builtinColumns(collection),
    selectableFields: SELECTABLE_FIELDS[collection] ?? {},
    strategy,
    validate: (object) => validateParts(object, schema),
  };
}

/** The fields that a write does not change: the status, or the spec for the status subresource. */
function resetFields({ plural, status }: BuiltinKind, subresource: string | undefined): FieldSet {
  if (subresource !== 'status') return status === true ? FieldSet.of(['f:status']) : FieldSet.empty;
  const more: readonly string[][] = KEPT_BY_STATUS[plural] ?? [];
  return more.reduce((set, path) => set.union(FieldSet.of(path)), FieldSet.of(['f:spec']));
}

/** Validates by the schema, except metadata (common to all kinds) and status (written by controllers). */
function validateParts(object: JsonObject, schema: Schema): FieldError[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    if (['apiVersion', 'kind', 'metadata', 'status'].includes(key)) return [];
    const part = withoutUnset(object[key] ?? null, property);
    if (part !== undefined) return validate({ [key]: part }, { type: 'object', properties: { [key]: property } });
    return schema.required?.includes(key) === true ? [fieldErrors.required(key)] : [];
  });
}

/** Removes empty strings in required fields. Go clients send them for unset fields. */
function withoutUnset(value: Json, schema: Schema): Json | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map((item) => withoutUnset(item, schema.items ?? {}) ?? null);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, child] of Object.entries(value)) {
    const isUnset = child === '' && schema.required?.includes(key) === true;
    const kept = isUnset || child === undefined ? undefined : withoutUnset(child, propertyOf(schema, key) ?? {});
    if (kept !== undefined) result[key] = kept;
  }
  return result;
}

type Fields = Readonly<Record<string, (object: ApiObject) => string>>;

const BOOLEANS = new Set(['spec.unschedulable', 'spec.hostNetwork']);

/** The supported field selectors of a kind, by path, besides name and namespace. */
const SELECTABLE_FIELDS: Readonly<Record<string, Fields>> = {
  '/pods': {
    ...fields(
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ),
    'spec.host': (pod) => textOr(at(pod, 'spec', 'nodeName')),
    // Supported, but the value is always empty.
    'status.podIPs': () => '',
  },
  '/nodes': fields('spec.unschedulable'),
  '/namespaces': fields('status.phase'),
  '/secrets': fields('type'),
  '/services': fields('spec.clusterIP', 'spec.type'),
  '/events': {
    ...fields(
      'involvedObject.kind',
      'involvedObject.namespace',
      'involvedObject.name',
      'involvedObject.uid',
      'involvedObject.apiVersion',
      'involvedObject.resourceVersion',
      'involvedObject.fieldPath',
      'reason',
      'reportingComponent',
      'type',
    ),
    source: (event) => textOr(at(event, 'source', 'component')) || textOr(event['reportingComponent']),
  },
};

function fields(...paths: string[]): Fields {
  return Object.fromEntries(
    paths.map((path) => [path, (object: ApiObject) => textOf(at(object, ...path.split('.')), BOOLEANS.has(path))]),
  );
}

function textOf(value: Json | undefined, isBoolean: boolean): string {
  if (value === undefined || value === null) return isBoolean ? 'false' : '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
