import type { ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';

export interface EndCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** What a namespace that is being deleted says of its content, in the words of kube-controller-manager. */
export function endConditions(
  left: readonly { resource: Resource; objects: readonly ApiObject[] }[],
  errors: readonly unknown[],
): EndCondition[] {
  return [
    no('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    no(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    errors.length === 0
      ? no(
          'NamespaceDeletionContentFailure',
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        )
      : yes('NamespaceDeletionContentFailure', 'ContentDeletionFailed', failureText(errors)),
    left.length === 0
      ? no('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : yes('NamespaceContentRemaining', 'SomeResourcesRemain', `Some resources are remaining: ${contentText(left)}`),
    finalizersOf(left).length === 0
      ? no('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished')
      : yes('NamespaceFinalizersRemaining', 'SomeFinalizersRemain', finalizersText(finalizersOf(left))),
  ];
}

function no(type: string, reason: string, message: string): EndCondition {
  return { type, status: 'False', reason, message };
}

function yes(type: string, reason: string, message: string): EndCondition {
  return { type, status: 'True', reason, message };
}

function failureText(errors: readonly unknown[]): string {
  const texts = errors.map((error) => (error instanceof Error ? error.message : String(error))).sort();
  return `Failed to delete all resource types, ${errors.length} remaining: ${texts.join(', ')}`;
}

function contentText(left: readonly { resource: Resource; objects: readonly ApiObject[] }[]): string {
  return left
    .map(({ resource: { plural, group }, objects }) => `${plural}.${group} has ${objects.length} resource instances`)
    .sort()
    .join(', ');
}

/** Each finalizer once for each object that has it. */
function finalizersOf(left: readonly { objects: readonly ApiObject[] }[]): string[] {
  return left.flatMap(({ objects }) => objects.flatMap(({ metadata }) => metadata.finalizers ?? []));
}

function finalizersText(finalizers: readonly string[]): string {
  const counts = [...new Set(finalizers)]
    .map((name) => `${name} in ${finalizers.filter((other) => other === name).length} resource instances`)
    .sort();
  return `Some content in the namespace has finalizers remaining: ${counts.join(', ')}`;
}
