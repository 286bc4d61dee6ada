export { BmcSet, type BmcSetOptions } from './bmc-set.ts';
export { NamedWatches } from './watches/index.ts';
