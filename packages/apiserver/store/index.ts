export { Store, type OpenOptions, type StoreOptions } from './store.ts';
export { Collection, type Change } from './collection.ts';
export { FolderDisk } from './folder-disk.ts';
export { StorageError } from './storage-error.ts';
export { Stored } from './stored.ts';
export { ViewedCollection } from './viewed-collection.ts';
