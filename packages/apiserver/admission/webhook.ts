import { arrayOr, at, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { type LabelMatch, parseLabelSelector } from '../label-selector.ts';
import type { MatchCondition, MatchConditions } from './match-conditions.ts';
import { parseRule, type Rule } from './rule.ts';

/** Where a webhook's server is. */
export interface ClientConfig {
  readonly url: string | undefined;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number } | undefined;
  /** Of a service; that of a URL is in it. */
  readonly path: string;
  /** PEM; undefined for the authorities that the machine trusts. */
  readonly ca: string | undefined;
}

/** One webhook of a configuration, made ready for being asked. */
export interface Webhook {
  readonly name: string;
  readonly rules: readonly Rule[];
  /** A rule for another version of a kind counts, too. */
  readonly isEquivalent: boolean;
  /** Undefined: all. */
  readonly namespaces: LabelMatch | undefined;
  readonly objects: LabelMatch | undefined;
  readonly conditions: readonly MatchCondition[];
  /** A webhook that cannot be asked is passed over. */
  readonly ignoresFailure: boolean;
  readonly allowsDryRun: boolean;
  readonly isReinvocable: boolean;
  readonly timeoutSeconds: number;
  /** Of AdmissionReview, the first that this server speaks. */
  readonly reviewVersion: 'v1' | 'v1beta1' | undefined;
  readonly client: ClientConfig;
}

/** The webhooks of a configuration that was defaulted and validated. */
export function compileWebhooks(configuration: ApiObject, conditions: MatchConditions): Webhook[] {
  return arrayOr(configuration['webhooks'])
    .filter(isObject)
    .map((webhook) => compile(webhook, conditions));
}

function compile(webhook: JsonObject, conditions: MatchConditions): Webhook {
  const timeout = webhook['timeoutSeconds'];
  const versions = arrayOr(webhook['admissionReviewVersions']);
  return {
    name: textOr(webhook['name']),
    rules: arrayOr(webhook['rules']).filter(isObject).map(parseRule),
    isEquivalent: webhook['matchPolicy'] !== 'Exact',
    namespaces: labelSelection(objectOr(webhook['namespaceSelector'])),
    objects: labelSelection(objectOr(webhook['objectSelector'])),
    conditions: arrayOr(webhook['matchConditions']).map((item) =>
      conditions.compile(textOr(at(item, 'expression')).trim()),
    ),
    ignoresFailure: webhook['failurePolicy'] === 'Ignore',
    allowsDryRun: webhook['sideEffects'] === 'None' || webhook['sideEffects'] === 'NoneOnDryRun',
    isReinvocable: webhook['reinvocationPolicy'] === 'IfNeeded',
    timeoutSeconds: typeof timeout === 'number' ? timeout : 10,
    reviewVersion: versions.find((version): version is 'v1' | 'v1beta1' => version === 'v1' || version === 'v1beta1'),
    client: clientConfig(objectOr(webhook['clientConfig'])),
  };
}

function clientConfig(config: JsonObject): ClientConfig {
  const { service } = config;
  const bundle = textOr(config['caBundle']);
  const port = at(service, 'port');
  return {
    url: typeof config['url'] === 'string' ? config['url'] : undefined,
    service: isObject(service)
      ? {
          namespace: textOr(service['namespace']),
          name: textOr(service['name']),
          port: typeof port === 'number' ? port : 443,
        }
      : undefined,
    path: textOr(at(service, 'path')),
    ca: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8'),
  };
}

/** A metav1.LabelSelector as a function; undefined where it selects everything. */
export function labelSelection(selector: JsonObject): LabelMatch | undefined {
  const requirements = [
    ...Object.entries(objectOr(selector['matchLabels'])).map(([key, value]) => `${key}=${textOr(value)}`),
    ...arrayOr(selector['matchExpressions']).filter(isObject).map(requirementText),
  ];
  return requirements.length === 0 ? undefined : parseLabelSelector(requirements.join(','));
}

function requirementText(requirement: JsonObject): string {
  const key = textOr(requirement['key']);
  const values = arrayOr(requirement['values']).map(textOr).join(',');
  switch (requirement['operator']) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`; // DoesNotExist: the configuration was validated
  }
}
