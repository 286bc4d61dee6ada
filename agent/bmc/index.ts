export { BmcSet } from './bmc-set.ts';
export { hostSurroundings } from './host-surroundings.ts';
export { NamedWatches } from './watches/index.ts';
