export { NamedWatches, type NamedWatchesOptions, type ObjectWatch, type ObjectWatches } from './named-watches.ts';
