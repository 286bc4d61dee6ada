export { apiVersionOf, type Column, type Resource } from './resource.ts';
export type { Strategy } from './strategy.ts';
export { Registry } from './registry.ts';
export { BUILTIN_KINDS, type BuiltinKind } from './builtin-kinds.ts';
