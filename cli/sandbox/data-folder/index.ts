export { DataFolder, DataFolderError, type Origin } from './data-folder.ts';
export { writePidFile } from './pid-file.ts';
export { sweepAbandoned } from './sweep-abandoned.ts';
