export { type Access, createAccess } from './access.ts';
export { accessRoutes } from './access.ts';
export { anonymous } from './authenticator.ts';
