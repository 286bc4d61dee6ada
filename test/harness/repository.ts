import { resolve } from 'node:path';

/** Folder of this checkout. */
export const repository = resolve(import.meta.dirname, '../..');
