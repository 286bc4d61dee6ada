import { arrayOr, at, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import { StatusError, type FieldError } from '../status.ts';
import { conditionProblem, labelSelection } from './webhook.ts';

const DEFAULTS = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

/** The strategy of MutatingWebhookConfiguration and ValidatingWebhookConfiguration. */
export const configurationStrategy: Strategy = {
  setDefaults,
  validate: (configuration) =>
    arrayOr(configuration['webhooks'])
      .filter(isObject)
      .flatMap((webhook, index) => [
        ...selectorErrors(webhook, `webhooks[${index}]`),
        ...conditionErrors(webhook, `webhooks[${index}]`),
      ]),
};

function setDefaults(configuration: ApiObject): void {
  for (const webhook of arrayOr(configuration['webhooks']).filter(isObject)) {
    for (const [key, value] of Object.entries(DEFAULTS)) webhook[key] ??= structuredClone(value);
    if (configuration.kind === 'MutatingWebhookConfiguration') webhook['reinvocationPolicy'] ??= 'Never';
    const service = at(webhook, 'clientConfig', 'service');
    if (isObject(service)) service['port'] ??= 443;
    for (const rule of arrayOr(webhook['rules']).filter(isObject)) rule['scope'] ??= '*';
  }
}

/** The errors of selectors that cannot be evaluated. */
function selectorErrors(webhook: JsonObject, field: string): FieldError[] {
  return ['namespaceSelector', 'objectSelector'].flatMap((key) => {
    try {
      labelSelection(objectOr(webhook[key]));
      return [];
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return [fieldErrors.invalid(`${field}.${key}`, webhook[key], error.message)];
    }
  });
}

function conditionErrors(webhook: JsonObject, field: string): FieldError[] {
  return arrayOr(webhook['matchConditions']).flatMap((condition, index) => {
    const expression = textOr(at(condition, 'expression')).trim();
    const problem = conditionProblem(expression);
    if (problem === undefined) return [];
    return [fieldErrors.invalid(`${field}.matchConditions[${index}].expression`, expression, problem)];
  });
}
