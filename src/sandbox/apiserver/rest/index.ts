export type { ApiContext } from './api-context.ts';
export { Rest, type RestRequest } from './rest.ts';
export { json, type Reply } from './reply.ts';
export { Writer } from './writer.ts';
export { Remover, type DeleteRequest } from './remover.ts';
export type { WriteRequest } from './write-request.ts';
