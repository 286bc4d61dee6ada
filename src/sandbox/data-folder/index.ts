export { DataFolder, DataFolderError, type Origin } from './data-folder.ts';
