export { openDocuments, type OpenDocuments } from './documents.ts';
export { OPEN_API, openApiAnswer } from './open-api.ts';
