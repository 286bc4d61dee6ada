export { applyQuery, type QuerySource } from './apply-query.ts';
export { parseQuery } from './parse-query.ts';
export type { Query } from './parse-query.ts';
export { PROTOCOL_FEATURES } from './parse-query.ts';
