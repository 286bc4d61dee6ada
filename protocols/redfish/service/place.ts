import type { Action, Resource } from '../resource.ts';
import type { Found, ResourceTree } from './resource-tree.ts';
import { actionInfo, actionInfoUri } from './action-info.ts';

/**
 * The target of a path:
 *
 * - a resource;
 * - an action of a resource (`action`), which accepts POST only;
 * - `Members` of a collection, which accepts POST like the collection itself (DSP0266 §7.9).
 */
export interface Place extends Found {
  readonly action?: Action;
  readonly isMembers?: boolean;
}

/** Undefined: not found. */
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
  const own = `${owner.uri}/${last}`;
  const action = owner.resource.actions?.find((one) => actionInfoUri(owner.uri, one) === own);
  return action && { uri: own, route: { path: own, find: () => undefined }, resource: actionInfo(action) };
}

function findAction(tree: ResourceTree, uri: string, name: string): Place | undefined {
  const owner = tree.find(uri);
  const action = owner?.resource.actions?.find((one) => one.name === name);
  return owner && action && { ...owner, action };
}

/** Name of an unknown action in a path, if the resource has other actions; undefined: the path is not that of an action. */
export function unknownAction(tree: ResourceTree, uri: string): string | undefined {
  const [owner = '', name, ...more] = uri.split('/Actions/');
  if (name === undefined || more.length > 0) return undefined;
  const { actions } = tree.find(owner)?.resource ?? {};
  return actions === undefined || actions.some((one) => one.name === name) ? undefined : name;
}

/** Methods for the header `Allow`. */
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

/** `ComputerSystem` of `ComputerSystem.v1_27_0.ComputerSystem`. */
export function schemaName({ type }: Resource): string {
  return type.slice(0, type.indexOf('.'));
}

/** Location of the schema at DMTF: `http://redfish.dmtf.org/schemas/v1/ComputerSystem.v1_27_0.json`. */
export function schemaUri({ type }: Resource): string {
  return `http://redfish.dmtf.org/schemas/v1/${type.slice(0, type.lastIndexOf('.'))}.json`;
}
