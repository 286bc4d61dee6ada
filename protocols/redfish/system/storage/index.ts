export { fixedDisksOf } from './fixed-disks.ts';
export { storageRoutes } from './storage-routes.ts';
