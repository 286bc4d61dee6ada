import { arrayOr, at, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { type LabelMatch, parseLabelSelector } from '../selectors.ts';
import type { AdmissionRequest } from '../rest/index.ts';
import { CelError, compileExpression, toCel } from '../schema/index.ts';

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
  /** Whether it speaks AdmissionReview v1, the only version that this server sends. */
  readonly speaksV1: boolean;
  readonly client: ClientConfig;
}

/** The webhooks of a configuration that was defaulted and validated. */
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

/** A webhook could not be asked, or its answer makes no sense: its failurePolicy decides what that means. */
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

/** Evaluates an expression. Throws where that is not possible, e.g. for a field that the object has not. */
export type MatchCondition = (input: MatchInput) => boolean;

const VARIABLES = ['object', 'oldObject', 'request'];

/** Why a match condition cannot be compiled; undefined if it can. */
export function conditionProblem(text: string): string | undefined {
  try {
    compileExpression(text, VARIABLES, 'bool');
    return undefined;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return `compilation failed: ${error.message}`;
  }
}

/** Compiles a match condition without problems. */
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

/** Which requests a webhook is about: admissionregistration.k8s.io/v1 RuleWithOperations. */
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

/** Whether the rule is about a request; `resource`: what of it, or one that means the same. */
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

/** A Namespace counts as in itself by its name, and is of the cluster all the same. */
function isInScope(scope: string, { namespace }: AdmissionRequest, { group, plural }: GroupVersionResource): boolean {
  if (scope !== 'Namespaced' && scope !== 'Cluster') return true;
  const isOfCluster = namespace === '' || (group === '' && plural === 'namespaces');
  return isOfCluster === (scope === 'Cluster');
}
