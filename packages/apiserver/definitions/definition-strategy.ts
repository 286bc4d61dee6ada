import { arrayOr, at, equal, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors, isEnforced, quoted, type CelRules } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { approvalErrors } from './approval.ts';
import { isConditionTrue, withCondition } from './conditions.ts';
import { HoistedSpec } from './hoisted-spec.ts';
import { decodeLooseSchemas } from './loose-schemas.ts';
import { namesErrors, specErrors } from './spec-rules.ts';

/** CustomResourceDefinitions: names, versions, and schemas that this server can hold objects to. */
export function definitionStrategy(rules: CelRules): Strategy {
  return {
    judgesAll: true,
    setDefaults(definition) {
      const spec = objectOr(definition['spec']);
      const names = objectOr(spec['names']);
      const kind = textOr(names['kind']);
      if (textOr(names['singular']) === '') names['singular'] = kind.toLowerCase();
      if (textOr(names['listKind']) === '' && kind !== '') names['listKind'] = `${kind}List`;
      spec['conversion'] ??= { strategy: 'None' };
      decodeLooseSchemas(definition);
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
      // Its custom resources go first; the server takes this off when they have.
      metadata.finalizers = [
        ...new Set([...(metadata.finalizers ?? []), 'customresourcecleanup.apiextensions.k8s.io']),
      ];
      definition['status'] = withCondition(objectOr(definition['status']), now, {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      });
    },
    validate(definition, previous, subresource) {
      if (subresource === 'status') return acceptedNamesErrors(definition);
      return [
        ...(previous === undefined ? nameErrors(definition) : []),
        ...specErrors(new HoistedSpec(definition), rules),
        ...(previous === undefined ? [] : immutableErrors(definition, previous)),
        ...acceptedNamesErrors(definition),
        ...storedVersionsErrors(definition),
        ...approvalErrors(definition, previous),
      ];
    },
    warnings(definition, previous) {
      const known = new Set(unknownFormats(previous?.['spec']));
      return unknownFormats(definition['spec'])
        .filter((format) => !known.has(format))
        .map((format) => `unrecognized format ${quoted(format)}`);
    },
  };
}

function versions(definition: ApiObject): JsonObject[] {
  return arrayOr(at(definition, 'spec', 'versions')).filter(isObject);
}

function storageVersions(definition: ApiObject): string[] {
  return versions(definition)
    .filter(({ storage }) => storage === true)
    .map(({ name }) => textOr(name));
}

function nameErrors(definition: ApiObject): FieldError[] {
  const wanted = `${textOr(at(definition, 'spec', 'names', 'plural'))}.${textOr(at(definition, 'spec', 'group'))}`;
  const { name } = definition.metadata;
  return name === wanted
    ? []
    : [fieldErrors.invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function immutableErrors(definition: ApiObject, previous: ApiObject): FieldError[] {
  const paths = [
    ...(isConditionTrue(previous, 'Established') ? [['scope'], ['names', 'kind']] : []),
    ['group'],
    ['names', 'plural'],
  ];
  return paths
    .filter((path) => !equal(at(definition, 'spec', ...path), at(previous, 'spec', ...path)))
    .map((path) =>
      fieldErrors.invalid(`spec.${path.join('.')}`, at(definition, 'spec', ...path) ?? '', 'field is immutable'),
    );
}

function acceptedNamesErrors(definition: ApiObject): FieldError[] {
  return namesErrors(objectOr(at(definition, 'status', 'acceptedNames')), 'status.acceptedNames');
}

function storedVersionsErrors(definition: ApiObject): FieldError[] {
  const field = 'status.storedVersions';
  const stored = arrayOr(at(definition, 'status', 'storedVersions')).map(textOr);
  if (stored.length === 0) return [fieldErrors.invalid(field, null, 'must have at least one stored version')];
  const known = versions(definition).map(({ name }) => textOr(name));
  // A second version of the name finds it gone.
  const unseen = new Set(stored);
  const missing: string[] = [];
  for (const { name, storage } of versions(definition)) {
    if (!unseen.delete(textOr(name)) && storage === true) missing.push(textOr(name));
  }
  return [
    ...missing.map((name) => fieldErrors.invalid(field, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, index) =>
      known.includes(name)
        ? []
        : [
            fieldErrors.invalid(
              `${field}[${index}]`,
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
            ),
          ],
    ),
  ];
}

/** Formats of strings that nobody enforces, wherever they stand in the schemas; none twice in a schema of all versions. */
function unknownFormats(spec: Json | undefined): string[] {
  const hoisted = new HoistedSpec({ spec });
  const found: string[] = [];
  const visit = (value: Json | undefined): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (isObject(value)) {
      const { type, format } = value;
      if (type === 'string' && typeof format === 'string' && format !== '' && !isEnforced(format)) found.push(format);
      Object.entries(value).forEach(([key, part]) => {
        if (!['default', 'enum', 'example'].includes(key)) visit(part);
      });
    }
  };
  visit(hoisted.common('schema'));
  for (const version of hoisted.versions) visit(version['schema']);
  return found;
}
