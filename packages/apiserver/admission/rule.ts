import { arrayOr, textOr, type JsonObject } from '../json.ts';
import type { AdmissionRequest } from '../rest/index.ts';

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

export function parseRule(rule: JsonObject): Rule {
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
