import { equal } from '../json.ts';
import type { Metadata } from '../objects.ts';

/** Takes owners out that are named twice, in place, and warns of it. `when`: said of patches, which are looked at late. */
export function dedupeOwners(metadata: Metadata, warnings: string[], when = ''): void {
  const { ownerReferences = [] } = metadata;
  const isFirst = (index: number) =>
    !ownerReferences.slice(0, index).some((other) => equal(other, ownerReferences[index]));
  const duplicates = ownerReferences.filter((_, index) => !isFirst(index));
  if (duplicates.length === 0) return;
  metadata.ownerReferences = ownerReferences.filter((_, index) => isFirst(index));
  const uids = duplicates.map(({ uid }) => uid).join(', ');
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
}
