import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { setDefaults, validate, type CelRules, type Schema } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { StructuralCheck } from './structural.ts';

/** CustomResourceDefinitions: names, versions, and schemas that this server can hold objects to. */
export function definitionStrategy(rules: CelRules): Strategy {
  return {
    setDefaults(definition) {
      const spec = objectOr(definition['spec']);
      const names = objectOr(spec['names']);
      names['singular'] ??= textOr(names['kind']).toLowerCase();
      names['listKind'] ??= `${textOr(names['kind'])}List`;
      spec['conversion'] ??= { strategy: 'None' };
    },
    prepareCreate(definition) {
      const stored = versions(definition)
        .filter(({ storage }) => storage === true)
        .map(({ name }) => textOr(name));
      definition['status'] = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: stored };
    },
    markDeleted(definition, now) {
      const { metadata } = definition;
      // Its custom resources go first; the server takes this off when they have.
      metadata.finalizers = [
        ...new Set([...(metadata.finalizers ?? []), 'customresourcecleanup.apiextensions.k8s.io']),
      ];
      const status = objectOr(definition['status']);
      const others = arrayOr(status['conditions']).filter((condition) => at(condition, 'type') !== 'Terminating');
      const condition = {
        type: 'Terminating',
        status: 'True',
        lastTransitionTime: now,
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      };
      definition['status'] = { ...status, conditions: [...others, condition] };
    },
    validate: (definition, previous) => validateDefinition(definition, previous, rules),
  };
}

function versions(definition: ApiObject): JsonObject[] {
  return arrayOr(at(definition, 'spec', 'versions')).filter(isObject);
}

function validateDefinition(definition: ApiObject, previous: ApiObject | undefined, rules: CelRules): FieldError[] {
  const spec = objectOr(definition['spec']);
  const errors: FieldError[] = [];
  const wanted = `${textOr(at(spec, 'names', 'plural'))}.${textOr(spec['group'])}`;
  const { name } = definition.metadata;
  if (name !== wanted)
    errors.push({
      field: 'metadata.name',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(name)}: must be spec.names.plural+"."+spec.group`,
    });
  for (const [path, before] of [
    ['scope', at(previous, 'spec', 'scope')],
    ['group', at(previous, 'spec', 'group')],
  ] as const) {
    if (before !== undefined && before !== spec[path])
      errors.push({
        field: `spec.${path}`,
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(spec[path])}: field is immutable`,
      });
  }
  if (at(spec, 'conversion', 'strategy') !== 'None') {
    errors.push({
      field: 'spec.conversion.strategy',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(at(spec, 'conversion', 'strategy'))}: the sandbox's API server converts by strategy None only`,
    });
  }
  const all = versions(definition);
  if (all.filter(({ storage }) => storage === true).length !== 1) {
    errors.push({
      field: 'spec.versions',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(all.map((version) => version['name']))}: must have exactly one version marked as storage version`,
    });
  }
  all.forEach((version, index) => {
    const path =
      all.length === 1 ? 'spec.validation.openAPIV3Schema' : `spec.versions[${index}].schema.openAPIV3Schema`;
    const schema = at(version, 'schema', 'openAPIV3Schema');
    if (!isObject(schema)) {
      errors.push({
        field: `spec.versions[${index}].schema.openAPIV3Schema`,
        reason: 'FieldValueRequired',
        message: 'Required value: schemas are required',
      });
      return;
    }
    // Decoded by the CRD's own schema: each keyword has its type.
    const typed = schema as unknown as Schema;
    const structural = new StructuralCheck(rules).check(typed, path);
    errors.push(...structural, ...(structural.length === 0 ? defaultsErrors(typed, path) : []));
  });
  return errors;
}

/** A default must itself be valid. */
function defaultsErrors(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (node: Schema, where: string): void => {
    if (node.default !== undefined) {
      const value: Json = structuredClone(node.default);
      setDefaults(value, node);
      errors.push(
        ...validate(value, node, '').map((error) => ({
          ...error,
          field: `${where}.default${error.field === '' ? '' : `.${error.field}`}`,
        })),
      );
    }
    for (const [key, property] of Object.entries(node.properties ?? {})) visit(property, `${where}.properties[${key}]`);
    if (node.items !== undefined) visit(node.items, `${where}.items`);
    if (isObject(node.additionalProperties)) visit(node.additionalProperties, `${where}.additionalProperties`);
  };
  visit(schema, path);
  return errors;
}
