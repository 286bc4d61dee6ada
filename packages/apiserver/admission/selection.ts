import type { JsonObject } from '../json.ts';
import type { AdmissionRequest } from '../rest/index.ts';
import { forbidden, notFound } from '../status.ts';
import type { Store } from '../store/index.ts';
import { inVersion, requestOf, type Body, type Invocation } from './admission-review.ts';
import type { Webhook } from './webhook.ts';

interface Subject {
  readonly request: AdmissionRequest;
  readonly object: Body;
  readonly old: Body;
  readonly store: Store;
}

/**
 * Whether the selectors and match conditions of a webhook match the request.
 *
 * @throws StatusError if the namespace is not found, or a condition has an error and failurePolicy is Fail
 */
export function isSelected(invocation: Invocation, subject: Subject): boolean {
  const { webhook } = invocation;
  const { object, old } = subject;
  if (!isInNamespaces(webhook, subject)) return false;
  const hasLabels = (body: Body): boolean => body !== null && webhook.objects?.(labelsOf(body)) !== false;
  if (webhook.objects !== undefined && !hasLabels(object) && !hasLabels(old)) return false;
  return webhook.conditions.length === 0 || meetsConditions(invocation, subject);
}

function isInNamespaces({ namespaces }: Webhook, { request, object, store }: Subject): boolean {
  const { resource, subresource, operation, namespace } = request;
  const isNamespace = resource.plural === 'namespaces';
  if (namespaces === undefined || (namespace === '' && !isNamespace)) return true;
  if (isNamespace && subresource === undefined && operation !== 'DELETE') return namespaces(labelsOf(object ?? {}));
  const home = store.collection('/namespaces').get(namespace)?.object;
  if (home === undefined) throw notFound({ group: '', kind: 'Namespace', plural: 'namespaces' }, namespace);
  return namespaces(home.metadata.labels);
}

/** One false condition excludes the request, even if other conditions fail. */
function meetsConditions(invocation: Invocation, { request, object, old }: Subject): boolean {
  const { webhook } = invocation;
  const input = {
    object: inVersion(object, invocation),
    oldObject: inVersion(old, invocation),
    request: requestOf(request, invocation, ''),
  };
  const problems: string[] = [];
  for (const condition of webhook.conditions) {
    try {
      if (!condition(input)) return false;
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (problems.length === 0) return true;
  if (webhook.ignoresFailure) return false;
  const text = problems.length === 1 ? problems.join('') : `[${problems.join(', ')}]`;
  throw forbidden(request.resource, request.name, text);
}

function labelsOf(object: JsonObject): Record<string, string> | undefined {
  const metadata = object['metadata'] as { labels?: Record<string, string> } | undefined; // the request has been decoded
  return metadata?.labels;
}
