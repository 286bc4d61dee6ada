export * from './objects.ts';
export * from './errors.ts';
export * from './core.ts';
export * from './client.ts';
export { parseStatus, readBytes, readStart } from './response-body.ts';
export * from './request-options.ts';
export { collectionPath, objectPath } from './rest-paths.ts';
export { HEADERS_TIMEOUT } from './transport.ts';
export type { Transport, TransportOptions, TransportRequest, TransportResponse } from './transport.ts';
export type { Logger } from './logger.ts';
export * from './clock.ts';
export { Backoff } from './backoff.ts';
export { retryOnConflict, type RetryOnConflictOptions } from './retry-on-conflict.ts';
export { serviceAccountConfig, type ServiceAccountConfig, type ServiceAccountOptions } from './service-account.ts';
export { parseQuantity, sameQuantity } from './quantity.ts';
export { setCondition, findCondition } from './conditions.ts';
export { JoinedCache, type Cache, type Change, type IndexFunction, type Listener } from './cache/cache.ts';
export { CachedWatch, type CachedWatchOptions } from './cache/cached-watch.ts';
export { Reflector, type OpenWatch, type ReflectorOptions, type Sink } from './cache/reflector.ts';
export { Controller, type ControllerOptions, type Reconcile, type Result } from './controller/controller.ts';
export * from './controller/source.ts';
export type { RateLimit } from './controller/queue.ts';
export type { Metrics } from './metrics.ts';
export type { EventType } from './events/correlator.ts';
export { EventRecorder, type EventRecorderOptions } from './events/event-recorder.ts';
export { LeaderElection, LeadershipLostError, type LeaderElectionOptions } from './leader-election.ts';
export { HealthServer, type Address, type Check, type HealthServerOptions } from './health-server.ts';
export {
  CacheSyncError,
  Runtime,
  type RunnableCache,
  type RunnableController,
  type RuntimeOptions,
} from './runtime.ts';
