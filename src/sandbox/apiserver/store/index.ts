export { Store, type StoreOptions } from './store.ts';
export { Collection, type Change } from './collection.ts';
export { Stored } from './stored.ts';
