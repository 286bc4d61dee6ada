export { checkAccess, checkPassword, mayUse, type Method } from './access-check.ts';
export { actionInfoUri, actionsOf } from './action-info.ts';
export { type LiveRoute, liveResources } from './live-resources.ts';
export { allowedMethods, findPlace, type Place, unknownAction } from './place.ts';
export { type Found, ResourceTree } from './resource-tree.ts';
export { schemaName, schemaUri } from './schema.ts';
