import { arrayOr, at, isObject, textOr, type Json, type JsonObject } from '../json.ts';
import { fieldErrors, nameRules, type CelRules, type Schema } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { defaultErrors } from './default-values.ts';
import type { HoistedSpec } from './hoisted-spec.ts';
import { internalForm } from './internal-form.ts';
import { schemaErrors } from './schema-rules.ts';
import { isConvertible, structuralErrors } from './structural.ts';
import { columnErrors, deprecationErrors, selectableFieldErrors, subresourceErrors } from './version-rules.ts';

/** What a schema's root may hold where the status is a subresource, by its names in Go. */
const ROOT_FIELDS =
  '[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]';
const NOT_AT_ROOT = [
  'nullable',
  'default',
  'enum',
  'maxProperties',
  'minProperties',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'additionalProperties',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
] as const;

/** What is wrong with the spec of a CustomResourceDefinition, in the order and words of kube-apiserver. */
export function specErrors(hoisted: HoistedSpec, rules: CelRules): FieldError[] {
  const { spec, versions } = hoisted;
  return [
    ...groupErrors(hoisted.group),
    ...scopeErrors(textOr(spec['scope'])),
    ...missingSchemas(hoisted),
    ...versions.flatMap((version, index) => versionErrors(version, index, hoisted, rules)),
    ...versionsErrors(hoisted),
    ...['plural', 'singular', 'kind', 'listKind']
      .filter((key) => textOr(hoisted.names[key]) === '')
      .map((key) => fieldErrors.required(`spec.names.${key}`)),
    ...namesErrors(hoisted.names, 'spec.names'),
    ...validationErrors(
      hoisted.common('schema'),
      hoisted.allVersions.some((version) => hoisted.hasStatus(version)),
      'spec.validation',
      rules,
    ),
    ...subresourceErrors(hoisted.common('subresources'), 'spec.subresources'),
    ...columnErrors(hoisted.common('additionalPrinterColumns'), 'spec.additionalPrinterColumns'),
    ...commonSelectableFields(hoisted),
    ...conversionErrors(spec['conversion']),
    ...(spec['preserveUnknownFields'] === true
      ? [
          fieldErrors.invalid(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
  ];
}

function groupErrors(group: string): FieldError[] {
  if (group === '') return [fieldErrors.required('spec.group')];
  const problems = nameRules.dns1123Subdomain(group);
  if (problems.length > 0) return [fieldErrors.invalid('spec.group', group, problems.join(','))];
  if (group.includes('.')) return [];
  return [fieldErrors.invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeErrors(scope: string): FieldError[] {
  if (scope === '') return [fieldErrors.required('spec.scope')];
  if (scope === 'Cluster' || scope === 'Namespaced') return [];
  return [fieldErrors.notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function missingSchemas({ allVersions }: HoistedSpec): FieldError[] {
  return allVersions.flatMap((version, index) =>
    isObject(at(version, 'schema', 'openAPIV3Schema'))
      ? []
      : [fieldErrors.required(`spec.versions[${index}].schema.openAPIV3Schema`)],
  );
}

function versionErrors(version: JsonObject, index: number, hoisted: HoistedSpec, rules: CelRules): FieldError[] {
  const path = `spec.versions[${index}]`;
  const name = textOr(version['name']);
  const problems = nameRules.dns1035Label(name);
  const hasStatus = hoisted.hasStatus(version);
  return [
    ...(problems.length === 0 ? [] : [fieldErrors.invalid(`${path}.name`, name, problems.join(','))]),
    ...deprecationErrors(version, path),
    ...validationErrors(version['schema'], hasStatus, `${path}.schema`, rules),
    ...subresourceErrors(version['subresources'], `${path}.subresources`),
    ...columnErrors(version['additionalPrinterColumns'], `${path}.additionalPrinterColumns`),
    ...selectableFieldsOf(version, path),
  ];
}

/** kube-apiserver asks for the version's own schema, and says so in words that mean the opposite. */
function selectableFieldsOf(version: JsonObject, path: string): FieldError[] {
  const fields = version['selectableFields'];
  if (arrayOr(fields).length === 0) return [];
  const schema = at(version, 'schema', 'openAPIV3Schema');
  if (!isObject(schema)) {
    const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    return [fieldErrors.invalid(`${path}.selectableFields`, '', detail)];
  }
  return selectableFieldErrors(fields, schema, `${path}.selectableFields`);
}

function commonSelectableFields(hoisted: HoistedSpec): FieldError[] {
  const fields = hoisted.common('selectableFields');
  if (arrayOr(fields).length === 0) return [];
  const schema = at(hoisted.common('schema'), 'openAPIV3Schema');
  if (!isObject(schema))
    return [fieldErrors.invalid('spec.selectableFields', '', 'may only be set when validations.schema is included')];
  return selectableFieldErrors(fields, schema, 'spec.selectableFields');
}

function versionsErrors({ versions, allVersions, spec }: HoistedSpec): FieldError[] {
  const names = versions.map((version) => textOr(version['name']));
  const form = internalForm.versions(versions);
  const errors: FieldError[] = [];
  if (new Set(names).size < names.length)
    errors.push(fieldErrors.invalidShown('spec.versions', form, 'must contain unique version names'));
  if (allVersions.filter(({ storage }) => storage === true).length !== 1)
    errors.push(
      fieldErrors.invalidShown(
        'spec.versions',
        (spec['versions'] ?? null) === null ? 'null' : form,
        'must have exactly one version marked as storage version',
      ),
    );
  const [first] = names;
  if (first !== undefined && first !== '') {
    const problems = nameRules.dns1035Label(first);
    if (problems.length > 0) errors.push(fieldErrors.invalid('spec.version', first, problems.join(',')));
  }
  return errors;
}

/** What is wrong with names, be they those of the spec or those that are accepted. */
export function namesErrors(names: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: string, value: string, isMixed = false): void => {
    const problems = value === '' ? [] : nameRules.dns1035Label(isMixed ? value.toLowerCase() : value);
    const text = problems.join(',');
    const detail = isMixed ? `may have mixed case, but should otherwise match: ${text}` : text;
    if (problems.length > 0) errors.push(fieldErrors.invalid(`${path}.${field}`, value, detail));
  };
  const [kind, listKind] = [textOr(names['kind']), textOr(names['listKind'])];
  check('plural', textOr(names['plural']));
  check('singular', textOr(names['singular']));
  check('kind', kind, true);
  check('listKind', listKind, true);
  for (const list of ['shortNames', 'categories']) {
    if (list === 'categories' && kind !== '' && kind === listKind)
      errors.push(fieldErrors.invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same'));
    arrayOr(names[list]).forEach((name, index) => {
      const problems = nameRules.dns1035Label(textOr(name));
      if (problems.length > 0) errors.push(fieldErrors.invalid(`${path}.${list}[${index}]`, name, problems.join(',')));
    });
  }
  return errors;
}

function validationErrors(
  validation: Json | undefined,
  hasStatus: boolean,
  path: string,
  rules: CelRules,
): FieldError[] {
  const root = at(validation, 'openAPIV3Schema');
  if (!isObject(root)) return [];
  // Decoded by the CRD's own schema: each keyword has its type.
  const schema = root as Schema;
  const where = `${path}.openAPIV3Schema`;
  const errors = [
    ...(hasStatus ? rootErrors(schema, where) : []),
    ...(schema.nullable === true
      ? [fieldErrors.forbidden(`${where}.nullable`, 'nullable cannot be true at the root')]
      : []),
  ];
  const isReadable = isConvertible(schema);
  const structural = isReadable ? structuralErrors(schema, where) : [];
  const defaults = isReadable && structural.length === 0 ? defaultErrors(schema, where, rules) : [];
  const isSound = isReadable && structural.length === 0 && defaults.length === 0;
  return [...errors, ...structural, ...defaults, ...schemaErrors(schema, where, isSound ? rules : undefined)];
}

function rootErrors(schema: Schema, path: string): FieldError[] {
  if (schema.type !== undefined && schema.type !== 'object')
    return [
      fieldErrors.invalid(
        `${path}.type`,
        schema.type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    ];
  const isSet = (value: unknown) => value !== undefined && value !== false;
  if (!NOT_AT_ROOT.some((key) => isSet(schema[key]))) return [];
  const detail = `only ${ROOT_FIELDS} fields are allowed at the root of the schema if the status subresource is enabled`;
  // A schema is JSON.
  return [fieldErrors.invalidShown(path, internalForm.schema(schema as unknown as Json), detail)];
}

function conversionErrors(conversion: Json | undefined): FieldError[] {
  const path = 'spec.conversion';
  const strategy = textOr(at(conversion, 'strategy'));
  if (strategy === '') return [fieldErrors.required(`${path}.strategy`)];
  if (strategy === 'Webhook')
    return [
      fieldErrors.forbidden(
        `${path}.strategy`,
        "conversion by webhook is not implemented by the sandbox's API server, only None is",
      ),
    ];
  if (strategy !== 'None') return [fieldErrors.notSupported(`${path}.strategy`, strategy, ['None', 'Webhook'])];
  const webhook = at(conversion, 'webhook');
  return [
    ...(isObject(at(webhook, 'clientConfig'))
      ? [fieldErrors.forbidden(`${path}.webhookClientConfig`, 'should not be set when strategy is not set to Webhook')]
      : []),
    ...(arrayOr(at(webhook, 'conversionReviewVersions')).length > 0
      ? [
          fieldErrors.forbidden(
            `${path}.conversionReviewVersions`,
            'should not be set when strategy is not set to Webhook',
          ),
        ]
      : []),
  ];
}
