export { NamedWatches, type ObjectWatch, type ObjectWatches } from './named-watches.ts';
