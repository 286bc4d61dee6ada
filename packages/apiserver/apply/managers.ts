import type { ManagedFieldsEntry } from '../objects.ts';
import { FieldSet } from './field-set.ts';
import { StatusError } from '../status.ts';

/** A field manager: the identity of a managedFields entry. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
}

export interface Owned extends Manager {
  readonly set: FieldSet;
  readonly time: string | undefined;
}

/** An object's managedFields, by manager. */
export type Managers = Map<string, Owned>;

export function managerKey({ manager, operation, apiVersion, subresource }: Manager): string {
  // The identity of an applier does not include the version.
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource ?? '']);
}

export function readManagers(entries: ManagedFieldsEntry[] | undefined): Managers {
  const managers: Managers = new Map();
  for (const { manager, operation, apiVersion, subresource, time, fieldsV1 } of entries ?? []) {
    const owned: Owned = { manager, operation, apiVersion, subresource, time, set: FieldSet.parse(fieldsV1 ?? {}) };
    managers.set(managerKey(owned), owned);
  }
  return managers;
}

export function writeManagers(managers: Managers): ManagedFieldsEntry[] {
  const order = ({ operation, time, manager, apiVersion, subresource }: Owned) =>
    [operation, time ?? '', manager, apiVersion, subresource ?? ''].join('\0');
  return [...managers.values()]
    .filter(({ set }) => !set.isEmpty)
    .sort((a, b) => (order(a) < order(b) ? -1 : 1))
    .map(({ manager, operation, apiVersion, subresource, time, set }) => ({
      manager,
      operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: set.toJSON(),
      ...(subresource === undefined ? {} : { subresource }),
    }));
}

export interface Conflict {
  owner: Owned;
  set: FieldSet;
}

/** 409: an apply would change fields of other managers. */
export class ApplyConflict extends StatusError {
  /** @param conflicts one for each owner */
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
  }
}

function described(who: string, paths: readonly string[]): string {
  return `conflicts with ${who}:\n${paths.map((path) => `- ${path}`).join('\n')}`;
}

/** The identity by which kube-apiserver sorts the owners. */
function identityOf({ manager, operation, apiVersion, subresource }: Owned): string {
  return JSON.stringify({ manager, operation, ...(operation === 'Apply' ? {} : { apiVersion }), subresource });
}

function nameOf({ manager, operation, apiVersion, subresource }: Owned): string {
  const through = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${through}${operation === 'Apply' ? '' : ` using ${apiVersion}`}`;
}
