export { apiVersionOf, type Column, type Resource, type Strategy } from './resource.ts';
export { Registry } from './registry.ts';
export { BUILTIN_KINDS, type BuiltinKind } from './builtin-kinds.ts';
