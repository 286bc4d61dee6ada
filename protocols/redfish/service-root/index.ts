export { serviceRootRoutes } from './service-root.ts';
