import { arrayOr, at, equal, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors, nameRules } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { isConditionTrue, withCondition } from './accept-names.ts';
import { schemaErrors } from './schema-errors.ts';

const SCOPES = ['Cluster', 'Namespaced'];

/** The strategy of CustomResourceDefinitions. It only refuses definitions that this server cannot serve safely. */
export const definitionStrategy: Strategy = {
  setDefaults(definition) {
    const spec = objectOr(definition['spec']);
    const names = objectOr(spec['names']);
    const kind = textOr(names['kind']);
    if (textOr(names['singular']) === '') names['singular'] = kind.toLowerCase();
    if (textOr(names['listKind']) === '' && kind !== '') names['listKind'] = `${kind}List`;
    spec['conversion'] ??= { strategy: 'None' };
  },
  prepareCreate(definition) {
    definition['status'] = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storageVersions(definition).slice(0, 1),
    };
  },
  prepareUpdate(definition, _previous, subresource) {
    if (subresource !== undefined) return;
    const status = objectOr(definition['status']);
    const stored = arrayOr(status['storedVersions']).map(textOr);
    const [current] = storageVersions(definition);
    if (current === undefined || stored.includes(current)) return;
    definition['status'] = { ...status, storedVersions: [...stored, current] };
  },
  markDeleted(definition, now) {
    const { metadata } = definition;
    // The definition loop deletes the custom resources first, and then removes this finalizer.
    metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), 'customresourcecleanup.apiextensions.k8s.io'])];
    definition['status'] = withCondition(objectOr(definition['status']), now, {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    });
  },
  validate(definition, previous, subresource) {
    if (subresource === 'status') return [];
    return [
      ...nameErrors(definition),
      ...versionErrors(definition),
      ...(previous === undefined ? [] : immutableErrors(definition, previous)),
      ...storedVersionErrors(definition),
    ];
  },
};

function versionsOf(definition: ApiObject): JsonObject[] {
  return arrayOr(at(definition, 'spec', 'versions')).filter(isObject);
}

function storageVersions(definition: ApiObject): string[] {
  return versionsOf(definition)
    .filter(({ storage }) => storage === true)
    .map(({ name }) => textOr(name));
}

function nameErrors({ metadata, spec }: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  if (metadata.name !== `${textOr(at(spec, 'names', 'plural'))}.${textOr(at(spec, 'group'))}`) {
    const detail = 'must be spec.names.plural+"."+spec.group';
    errors.push(fieldErrors.invalid('metadata.name', metadata.name, detail));
  }
  const scope = textOr(at(spec, 'scope'));
  if (!SCOPES.includes(scope)) errors.push(fieldErrors.notSupported('spec.scope', scope, SCOPES));
  const strategy = textOr(at(spec, 'conversion', 'strategy'));
  if (strategy !== 'None') errors.push(fieldErrors.notSupported('spec.conversion.strategy', strategy, ['None']));
  return errors;
}

function versionErrors(definition: ApiObject): FieldError[] {
  const versions = versionsOf(definition);
  const names = versions.map(({ name }) => textOr(name));
  const errors = versions.flatMap((version, index) => {
    const path = `spec.versions[${index}]`;
    const name = textOr(version['name']);
    return [
      ...nameRules.dns1035Label(name).map((problem) => fieldErrors.invalid(`${path}.name`, name, problem)),
      ...schemaErrors(at(version, 'schema', 'openAPIV3Schema'), `${path}.schema.openAPIV3Schema`),
    ];
  });
  if (new Set(names).size < names.length)
    errors.push(fieldErrors.invalid('spec.versions', names, 'must contain unique version names'));
  if (storageVersions(definition).length !== 1) {
    const detail = 'must have exactly one version marked as storage version';
    errors.push(fieldErrors.invalid('spec.versions', names, detail));
  }
  return errors;
}

function immutableErrors(definition: ApiObject, previous: ApiObject): FieldError[] {
  const established = isConditionTrue(previous, 'Established') ? [['scope'], ['names', 'kind']] : [];
  return [...established, ['group'], ['names', 'plural']]
    .filter((path) => !equal(at(definition, 'spec', ...path), at(previous, 'spec', ...path)))
    .map((path) =>
      fieldErrors.invalid(`spec.${path.join('.')}`, at(definition, 'spec', ...path) ?? '', 'field is immutable'),
    );
}

/** Stored versions must stay in the spec: reading their objects needs the schemas. */
function storedVersionErrors(definition: ApiObject): FieldError[] {
  const known = versionsOf(definition).map(({ name }) => textOr(name));
  return arrayOr(at(definition, 'status', 'storedVersions'))
    .map(textOr)
    .flatMap((name, index) =>
      known.includes(name)
        ? []
        : [fieldErrors.invalid(`status.storedVersions[${index}]`, name, 'missing from spec.versions')],
    );
}
