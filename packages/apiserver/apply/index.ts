export { FieldManager } from './field-manager.ts';
export { FieldSet } from './field-set.ts';
export type { Manager } from './managers.ts';
export { typeErrors } from './structure.ts';
