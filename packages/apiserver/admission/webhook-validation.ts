import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { fieldErrors, nameRules } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import { clientConfigErrors } from './client-config-errors.ts';
import type { MatchConditions } from './match-conditions.ts';
import { ruleErrors } from './rule-errors.ts';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const MAX_CONDITIONS = 64;

/** What is wrong with a webhook of a configuration, in the words of kube-apiserver. */
export class WebhookValidation {
  readonly #conditions: MatchConditions;

  constructor(conditions: MatchConditions) {
    this.#conditions = conditions;
  }

  check(webhook: JsonObject, field: string): FieldError[] {
    return [
      ...nameErrors(textOr(webhook['name']), `${field}.name`),
      ...arrayOr(webhook['rules'])
        .filter(isObject)
        .flatMap((rule, index) => ruleErrors(rule, `${field}.rules[${index}]`)),
      ...oneOf(webhook, field, 'failurePolicy', ['Fail', 'Ignore']),
      ...oneOf(webhook, field, 'matchPolicy', ['Equivalent', 'Exact']),
      ...sideEffectErrors(webhook['sideEffects'], `${field}.sideEffects`),
      ...timeoutErrors(webhook['timeoutSeconds'], `${field}.timeoutSeconds`),
      ...selectorErrors(objectOr(webhook['namespaceSelector']), `${field}.namespaceSelector`),
      ...selectorErrors(objectOr(webhook['objectSelector']), `${field}.objectSelector`),
      ...oneOf(webhook, field, 'reinvocationPolicy', ['IfNeeded', 'Never']),
      ...clientConfigErrors(objectOr(webhook['clientConfig']), `${field}.clientConfig`),
      ...this.#conditionErrors(arrayOr(webhook['matchConditions']), `${field}.matchConditions`),
      ...reviewVersionErrors(arrayOr(webhook['admissionReviewVersions']), `${field}.admissionReviewVersions`),
    ];
  }

  #conditionErrors(conditions: Json[], field: string): FieldError[] {
    const errors =
      conditions.length > MAX_CONDITIONS ? [fieldErrors.tooMany(field, conditions.length, MAX_CONDITIONS)] : [];
    const names = new Set<string>();
    conditions.forEach((condition, index) => {
      const here = `${field}[${index}]`;
      const name = textOr(at(condition, 'name'));
      errors.push(...this.#expressionErrors(textOr(at(condition, 'expression')).trim(), `${here}.expression`));
      if (name === '') errors.push(fieldErrors.required(`${here}.name`));
      else errors.push(...nameRules.qualifiedName(name).map((text) => fieldErrors.invalid(`${here}.name`, name, text)));
      if (names.has(name) && name !== '') errors.push(fieldErrors.duplicate(`${here}.name`, name));
      names.add(name);
    });
    return errors;
  }

  #expressionErrors(expression: string, field: string): FieldError[] {
    if (expression === '') return [fieldErrors.required(field)];
    const problem = this.#conditions.problemOf(expression);
    return problem === undefined ? [] : [fieldErrors.invalid(field, expression, problem)];
  }
}

function nameErrors(name: string, field: string): FieldError[] {
  if (name === '') return [fieldErrors.required(field)];
  const problems = nameRules.dns1123Subdomain(name);
  if (problems.length > 0) return [fieldErrors.invalid(field, name, problems.join(','))];
  return name.split('.').length < 3
    ? [fieldErrors.invalid(field, name, 'should be a domain with at least three segments separated by dots')]
    : [];
}

function oneOf(webhook: JsonObject, field: string, key: string, supported: string[]): FieldError[] {
  const value = webhook[key];
  return value === undefined || supported.includes(textOr(value))
    ? []
    : [fieldErrors.notSupported(`${field}.${key}`, value, supported)];
}

/** A configuration from today may only have webhooks that a dry run can ask. */
function sideEffectErrors(value: Json | undefined, field: string): FieldError[] {
  if (value === undefined || value === null)
    return [fieldErrors.required(field, 'must specify one of None, NoneOnDryRun')];
  return value === 'None' || value === 'NoneOnDryRun'
    ? []
    : [fieldErrors.notSupported(field, value, ['None', 'NoneOnDryRun'])];
}

function timeoutErrors(value: Json | undefined, field: string): FieldError[] {
  if (typeof value !== 'number' || (value >= 1 && value <= 30)) return [];
  return [fieldErrors.invalid(field, value, 'the timeout value must be between 1 and 30 seconds')];
}

function reviewVersionErrors(versions: Json[], field: string): FieldError[] {
  const known = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) return [fieldErrors.required(field, `must specify one of ${known}`)];
  const errors = versions
    .map(textOr)
    .flatMap((version, index, all) =>
      all.indexOf(version) < index
        ? [fieldErrors.invalid(`${field}[${index}]`, version, 'duplicate version')]
        : nameRules.dns1035Label(version).map((text) => fieldErrors.invalid(`${field}[${index}]`, version, text)),
    );
  if (!versions.some((version) => REVIEW_VERSIONS.includes(textOr(version))))
    errors.push(fieldErrors.invalid(field, versions, `must include at least one of ${known}`));
  return errors;
}

function selectorErrors(selector: JsonObject, field: string): FieldError[] {
  const labels = Object.entries(objectOr(selector['matchLabels'])).flatMap(([key, value]) => [
    ...nameRules.qualifiedName(key).map((text) => fieldErrors.invalid(`${field}.matchLabels`, key, text)),
    ...nameRules.labelValue(textOr(value)).map((text) => fieldErrors.invalid(`${field}.matchLabels`, value, text)),
  ]);
  const requirements = arrayOr(selector['matchExpressions'])
    .filter(isObject)
    .flatMap((requirement, index) => requirementErrors(requirement, `${field}.matchExpressions[${index}]`));
  return [...labels, ...requirements];
}

function requirementErrors(requirement: JsonObject, field: string): FieldError[] {
  const operator = textOr(requirement['operator']);
  const key = textOr(requirement['key']);
  const values = arrayOr(requirement['values']);
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(fieldErrors.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        fieldErrors.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
  } else {
    errors.push(fieldErrors.invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  }
  errors.push(...nameRules.qualifiedName(key).map((text) => fieldErrors.invalid(`${field}.key`, key, text)));
  values.map(textOr).forEach((value, index) => {
    errors.push(
      ...nameRules.labelValue(value).map((text) => fieldErrors.invalid(`${field}.values[${index}]`, value, text)),
    );
  });
  return errors;
}
