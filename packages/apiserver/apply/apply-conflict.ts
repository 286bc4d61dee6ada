import { StatusError } from '../status.ts';
import type { FieldSet } from './field-set.ts';
import type { Owned } from './managers.ts';

export interface Conflict {
  owner: Owned;
  set: FieldSet;
}

/** 409: what is applied would change what others own. */
export class ApplyConflict extends StatusError {
  readonly #conflicts: readonly Conflict[];

  /** `conflicts`: one for each owner. */
  constructor(conflicts: readonly Conflict[]) {
    const owners = conflicts
      .map(({ owner, set }) => ({ id: identityOf(owner), who: nameOf(owner), paths: set.paths() }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const causes = owners.flatMap(({ who, paths }) =>
      paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
    );
    const [only] = causes;
    const text =
      causes.length === 1 && only !== undefined
        ? `1 conflict: ${only.message}: ${only.field}`
        : `${causes.length} conflicts: ${owners.map(({ who, paths }) => described(who, paths)).join('\n')}`;
    super(409, 'Conflict', `Apply failed with ${text}`, { causes });
    this.#conflicts = conflicts;
  }

  /** What remains of it when changes of `allowed` are none. */
  without(allowed: FieldSet): ApplyConflict | undefined {
    const rest = this.#conflicts
      .map(({ owner, set }) => ({ owner, set: set.minus(allowed) }))
      .filter(({ set }) => !set.isEmpty);
    return rest.length === 0 ? undefined : new ApplyConflict(rest);
  }
}

function described(who: string, paths: readonly string[]): string {
  return `conflicts with ${who}:\n${paths.map((path) => `- ${path}`).join('\n')}`;
}

/** What kube-apiserver knows an owner by, and sorts owners by. */
function identityOf({ manager, operation, apiVersion, subresource }: Owned): string {
  return JSON.stringify({ manager, operation, ...(operation === 'Apply' ? {} : { apiVersion }), subresource });
}

function nameOf({ manager, operation, apiVersion, subresource }: Owned): string {
  const through = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${through}${operation === 'Apply' ? '' : ` using ${apiVersion}`}`;
}
