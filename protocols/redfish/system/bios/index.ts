export { biosRoutes } from './bios-routes.ts';
