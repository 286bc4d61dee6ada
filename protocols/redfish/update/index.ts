export { updateRoutes } from './update-service.ts';
