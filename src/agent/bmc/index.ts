export { BmcSet } from './bmc-set.ts';
export { NamedWatches } from './watches/index.ts';
