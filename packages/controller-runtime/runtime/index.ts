export { HealthServer, type Address, type Check, type HealthServerOptions } from './health-server.ts';
export {
  CacheSyncError,
  Runtime,
  type RunnableCache,
  type RunnableController,
  type RuntimeOptions,
} from './runtime.ts';
