import { arrayOr, at, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { type LabelMatch, parseLabelSelector } from '../selectors.ts';
import type { AdmissionRequest } from '../rest/index.ts';
import { CelError, compileExpression, toCel } from '../schema/index.ts';

/** The address and CA of a webhook's server. */
export interface ClientConfig {
  readonly url: string | undefined;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number } | undefined;
  /** The path of a service. A URL contains its path. */
  readonly path: string;
  /** CA certificates in PEM; undefined for the default CAs. */
  readonly ca: string | undefined;
}

/** A compiled webhook of a configuration. */
export interface Webhook {
  readonly name: string;
  readonly rules: readonly Rule[];
  /** matchPolicy Equivalent: rules also match other versions of the resource. */
  readonly isEquivalent: boolean;
  /** namespaceSelector; undefined matches all. */
  readonly namespaces: LabelMatch | undefined;
  /** objectSelector; undefined matches all. */
  readonly objects: LabelMatch | undefined;
  readonly conditions: readonly MatchCondition[];
  /** failurePolicy Ignore: a failed call does not fail the request. */
  readonly ignoresFailure: boolean;
  readonly allowsDryRun: boolean;
  readonly isReinvocable: boolean;
  readonly timeoutSeconds: number;
  /** Whether admissionReviewVersions contains v1, the only version that this server sends. */
  readonly speaksV1: boolean;
  readonly client: ClientConfig;
}

/** Compiles the webhooks of a defaulted and validated configuration. */
export function compileWebhooks(configuration: ApiObject): Webhook[] {
  return arrayOr(configuration['webhooks']).filter(isObject).map(compile);
}

function compile(webhook: JsonObject): Webhook {
  const timeout = webhook['timeoutSeconds'];
  return {
    name: textOr(webhook['name']),
    rules: arrayOr(webhook['rules']).filter(isObject).map(parseRule),
    isEquivalent: webhook['matchPolicy'] !== 'Exact',
    namespaces: labelSelection(objectOr(webhook['namespaceSelector'])),
    objects: labelSelection(objectOr(webhook['objectSelector'])),
    conditions: arrayOr(webhook['matchConditions']).map((item) =>
      compileCondition(textOr(at(item, 'expression')).trim()),
    ),
    ignoresFailure: webhook['failurePolicy'] === 'Ignore',
    allowsDryRun: webhook['sideEffects'] === 'None' || webhook['sideEffects'] === 'NoneOnDryRun',
    isReinvocable: webhook['reinvocationPolicy'] === 'IfNeeded',
    timeoutSeconds: typeof timeout === 'number' ? timeout : 10,
    speaksV1: arrayOr(webhook['admissionReviewVersions']).includes('v1'),
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

/** Compiles a metav1.LabelSelector; undefined if it matches everything. */
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

/** A webhook cannot be called or its answer is invalid. failurePolicy decides whether the request fails. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';

  constructor({ name }: Webhook, reason: string, cause?: unknown) {
    super(`failed calling webhook ${JSON.stringify(name)}: ${reason}`, { cause });
  }
}

/** The variables of an expression: `object`, `oldObject` and `request`, as in an AdmissionReview. */
export interface MatchInput {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly request: JsonObject;
}

/**
 * Evaluates a match condition.
 *
 * @throws Error if the evaluation fails, e.g. for an absent field
 */
export type MatchCondition = (input: MatchInput) => boolean;

const VARIABLES = ['object', 'oldObject', 'request'];

/** The compilation error of a match condition; undefined if there is none. */
export function conditionProblem(text: string): string | undefined {
  try {
    compileExpression(text, VARIABLES, 'bool');
    return undefined;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return `compilation failed: ${error.message}`;
  }
}

/** Compiles a match condition that has passed validation. */
function compileCondition(text: string): MatchCondition {
  const expression = compileExpression(text, VARIABLES, 'bool');
  return ({ object, oldObject, request }) => {
    try {
      return expression({ object: toCel(object), oldObject: toCel(oldObject), request: toCel(request) }) === true;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      throw new Error(`expression '${text}' resulted in error: ${error.message}`, { cause: error });
    }
  };
}

/** The requests that a webhook receives: admissionregistration.k8s.io/v1 RuleWithOperations. */
export interface Rule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly { readonly plural: string; readonly subresource: string }[];
  readonly scope: string;
}

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

function parseRule(rule: JsonObject): Rule {
  const texts = (key: string) => arrayOr(rule[key]).map(textOr);
  return {
    operations: texts('operations'),
    groups: texts('apiGroups'),
    versions: texts('apiVersions'),
    resources: texts('resources').map((text) => {
      const [plural = '', ...subresource] = text.split('/');
      return { plural, subresource: subresource.join('/') };
    }),
    scope: textOr(rule['scope']),
  };
}

/**
 * Whether a rule matches a request.
 *
 * @param resource the request's resource or an equivalent one
 */
export function matchesRule(rule: Rule, request: AdmissionRequest, resource: GroupVersionResource): boolean {
  return (
    has(rule.operations, request.operation) &&
    has(rule.groups, resource.group) &&
    has(rule.versions, resource.version) &&
    rule.resources.some(
      ({ plural, subresource }) =>
        (plural === '*' || plural === resource.plural) &&
        (subresource === '*' || subresource === (request.subresource ?? '')),
    ) &&
    isInScope(rule.scope, request, resource)
  );
}

function has(items: readonly string[], wanted: string): boolean {
  return items.includes('*') || items.includes(wanted);
}

/** A request for a Namespace has a namespace, but the Namespace resource is cluster-scoped. */
function isInScope(scope: string, { namespace }: AdmissionRequest, { group, plural }: GroupVersionResource): boolean {
  if (scope !== 'Namespaced' && scope !== 'Cluster') return true;
  const isOfCluster = namespace === '' || (group === '' && plural === 'namespaces');
  return isOfCluster === (scope === 'Cluster');
}
