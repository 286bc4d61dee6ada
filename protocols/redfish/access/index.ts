export { type Access, createAccess } from './access.ts';
export { accessRoutes } from './routes.ts';
export { anonymous } from './authentication/anonymous.ts';
