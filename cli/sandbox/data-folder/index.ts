export { DataFolder, DataFolderError, type Origin } from './data-folder.ts';
export { writePidFile } from './pid-file.ts';
export { kubeconfigsOfRunning, sweepAbandoned } from './sweep-abandoned.ts';
