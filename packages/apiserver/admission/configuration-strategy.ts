import { arrayOr, at, isObject, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import type { MatchConditions } from './match-conditions.ts';
import { WebhookValidation } from './webhook-validation.ts';

const DEFAULTS = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

/** MutatingWebhookConfiguration and ValidatingWebhookConfiguration. */
export function configurationStrategy(conditions: MatchConditions): Strategy {
  return {
    setDefaults,
    judgesAll: true,
    validate: (configuration) => validate(configuration, new WebhookValidation(conditions)),
  };
}

function setDefaults(configuration: ApiObject): void {
  for (const webhook of arrayOr(configuration['webhooks']).filter(isObject)) {
    for (const [key, value] of Object.entries(DEFAULTS)) webhook[key] ??= structuredClone(value);
    if (configuration.kind === 'MutatingWebhookConfiguration') webhook['reinvocationPolicy'] ??= 'Never';
    const service = at(webhook, 'clientConfig', 'service');
    if (isObject(service)) service['port'] ??= 443;
    for (const rule of arrayOr(webhook['rules']).filter(isObject)) rule['scope'] ??= '*';
  }
}

function validate(configuration: ApiObject, validation: WebhookValidation): FieldError[] {
  const names = new Set<string>();
  return arrayOr(configuration['webhooks'])
    .filter(isObject)
    .flatMap((webhook, index) => {
      const field = `webhooks[${index}]`;
      const name = textOr(webhook['name']);
      const errors = validation.check(webhook, field);
      if (names.has(name) && name !== '') errors.push(fieldErrors.duplicate(`${field}.name`, name));
      names.add(name);
      return errors;
    });
}
