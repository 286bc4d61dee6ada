export { FieldManager } from './field-manager.ts';
export { FieldSet } from './field-set.ts';
export { KeylessItemError } from './structure.ts';
export type { Manager } from './managers.ts';
