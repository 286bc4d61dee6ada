import { base, RedfishError } from '../../messages/index.ts';
import type { Action } from '../../resource.ts';
import { actionInfo, actionInfoUri } from './action-info.ts';
import type { Found, ResourceTree } from './resource-tree.ts';

/**
 * What a path leads to:
 *
 * - a resource;
 * - an action of one (`action`), to which nothing but POST goes;
 * - `Members` of a collection, to which POST goes as to the collection itself (DSP0266 §7.9).
 */
export interface Place extends Found {
  readonly action?: Action;
  readonly isMembers?: boolean;
}

/** Undefined: there is nothing. */
export function findPlace(tree: ResourceTree, uri: string): Place | undefined {
  const found = tree.find(uri);
  if (found !== undefined) return found;
  const cut = uri.lastIndexOf('/');
  const parent = uri.slice(0, cut);
  const last = uri.slice(cut + 1);
  if (parent.endsWith('/Actions')) return findAction(tree, parent.slice(0, -'/Actions'.length), last);
  const owner = last === 'Members' || last.endsWith('ActionInfo') ? tree.find(parent) : undefined;
  if (owner === undefined) return undefined;
  if (last === 'Members') return owner.resource.create === undefined ? undefined : { ...owner, isMembers: true };
  const action = owner.resource.actions?.find((one) => actionInfoUri(parent, one) === uri);
  return action && { uri, route: { path: uri, find: () => undefined }, resource: actionInfo(action) };
}

function findAction(tree: ResourceTree, uri: string, name: string): Place | undefined {
  const owner = tree.find(uri);
  if (owner === undefined) return undefined;
  const action = owner.resource.actions?.find((one) => one.name === name);
  if (action === undefined && owner.resource.actions !== undefined) {
    throw new RedfishError(404, [base('ActionNotSupported', [name])]);
  }
  return action && { ...owner, action };
}

/** Methods that may be used there, as the header `Allow` names them. */
export function allowedMethods({ resource, action, isMembers }: Place): readonly string[] {
  if (action !== undefined || isMembers === true) return ['POST'];
  return [
    'GET',
    'HEAD',
    ...(resource.patch === undefined ? [] : ['PATCH']),
    ...(resource.create === undefined ? [] : ['POST']),
    ...(resource.delete === undefined ? [] : ['DELETE']),
  ];
}
