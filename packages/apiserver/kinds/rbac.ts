import { arrayOr, equal, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors, nameRules } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

const GROUP = 'rbac.authorization.k8s.io';
const SUBJECTS = ['ServiceAccount', 'User', 'Group'];

/** Roles and cluster roles. What they allow is looked at by nobody here, but what they say must make sense. */
export const roleStrategy: Strategy = {
  judgesAll: true,
  validate: (role) =>
    arrayOr(role['rules'])
      .filter(isObject)
      .flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, role.metadata.namespace !== undefined)),
};

export const bindingStrategy: Strategy = {
  judgesAll: true,
  setDefaults(binding) {
    const reference = objectOr(binding['roleRef']);
    // Always there once read, if only as an empty text.
    if (textOr(reference['apiGroup']) === '') reference['apiGroup'] = GROUP;
    for (const subject of arrayOr(binding['subjects']).filter(isObject)) {
      if (subject['kind'] !== 'ServiceAccount') subject['apiGroup'] ??= GROUP;
    }
  },
  validate: (binding, previous) => [
    ...referenceErrors(binding),
    ...arrayOr(binding['subjects'])
      .filter(isObject)
      .flatMap((subject, index) =>
        subjectErrors(subject, `subjects[${index}]`, binding.metadata.namespace !== undefined),
      ),
    ...changeErrors(binding, previous),
  ],
};

function ruleErrors(rule: JsonObject, field: string, isNamespaced: boolean): FieldError[] {
  const isEmpty = (key: string): boolean => arrayOr(rule[key]).length === 0;
  const missing = (key: string, text: string): FieldError[] =>
    isEmpty(key) ? [fieldErrors.required(`${field}.${key}`, text)] : [];
  const errors = missing('verbs', 'verbs must contain at least one value');
  if (isEmpty('nonResourceURLs')) {
    return [
      ...errors,
      ...missing('apiGroups', 'resource rules must supply at least one api group'),
      ...missing('resources', 'resource rules must supply at least one resource'),
    ];
  }
  const wrong = (text: string): FieldError =>
    fieldErrors.invalid(`${field}.nonResourceURLs`, rule['nonResourceURLs'], text);
  if (isNamespaced) errors.push(wrong('namespaced rules cannot apply to non-resource URLs'));
  if (!['apiGroups', 'resources', 'resourceNames'].every(isEmpty))
    errors.push(wrong('rules cannot apply to both regular resources and non-resource URLs'));
  return errors;
}

function referenceErrors({ metadata, roleRef }: ApiObject): FieldError[] {
  const { apiGroup, kind, name } = objectOr(roleRef);
  const kinds = metadata.namespace === undefined ? ['ClusterRole'] : ['Role', 'ClusterRole'];
  const errors: FieldError[] = [];
  if (apiGroup !== GROUP) errors.push(fieldErrors.notSupported('roleRef.apiGroup', textOr(apiGroup), [GROUP]));
  if (!kinds.includes(textOr(kind))) errors.push(fieldErrors.notSupported('roleRef.kind', textOr(kind), kinds));
  if (textOr(name) === '') errors.push(fieldErrors.required('roleRef.name'));
  const problems = nameRules.pathSegment(textOr(name));
  return [...errors, ...problems.map((problem) => fieldErrors.invalid('roleRef.name', name, problem))];
}

function subjectErrors(subject: JsonObject, field: string, isNamespaced: boolean): FieldError[] {
  const [kind, name, group] = [textOr(subject['kind']), textOr(subject['name']), textOr(subject['apiGroup'])];
  const errors: FieldError[] = name === '' ? [fieldErrors.required(`${field}.name`)] : [];
  if (!SUBJECTS.includes(kind)) return [...errors, fieldErrors.notSupported(`${field}.kind`, kind, SUBJECTS)];
  const isAccount = kind === 'ServiceAccount';
  const expected = isAccount ? '' : GROUP;
  if (isAccount && name !== '')
    errors.push(
      ...nameRules.dns1123Subdomain(name).map((problem) => fieldErrors.invalid(`${field}.name`, name, problem)),
    );
  if (group !== expected) errors.push(fieldErrors.notSupported(`${field}.apiGroup`, group, [expected]));
  if (isAccount && !isNamespaced && textOr(subject['namespace']) === '')
    errors.push(fieldErrors.required(`${field}.namespace`));
  return errors;
}

function changeErrors({ roleRef }: ApiObject, previous: ApiObject | undefined): FieldError[] {
  if (previous === undefined || equal(roleRef, previous['roleRef'])) return [];
  const { apiGroup, kind, name } = objectOr(roleRef);
  const shown = JSON.stringify({ APIGroup: textOr(apiGroup), Kind: textOr(kind), Name: textOr(name) });
  return [fieldErrors.invalidShown('roleRef', shown, 'cannot change roleRef')];
}
