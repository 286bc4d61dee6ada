export { Store, type OpenOptions, type StoreOptions } from './store.ts';
export { Collection, type Change, Stored, ViewedCollection } from './collection.ts';
export type { Entries } from './entries.ts';
export { FolderDisk, StorageError } from './disk.ts';
