export type { Cache, Change, IndexFunction, Listener } from './cache.ts';
export { CachedWatch, type CachedWatchOptions } from './cached-watch.ts';
export { JoinedCache } from './joined-cache.ts';
export { Reflector, type OpenWatch, type ReflectorOptions, type Sink } from './reflector.ts';
