export type { ApiContext, Admission, AdmissionRequest, GroupVersionKind, Review } from './api-context.ts';
export { RequestBody, type WriteRequest, json, pageNotFound, type Reply } from './call.ts';
export { Rest } from './rest.ts';
export type { Representation } from './presentation.ts';
export { isTrue } from './list-query.ts';
export { Writer } from './writer.ts';
export { Remover } from './remover.ts';
export { ReviewedWriter, ReviewedRemover } from './reviewed.ts';
export type { DeleteRequest } from './delete-options.ts';
