export { type Schema, type ValidationRule, propertyOf } from './schema.ts';
export { BuiltinSchemas } from './builtin-schemas.ts';
export { prune } from './prune.ts';
export { setDefaults, dropNulls } from './set-defaults.ts';
export { decodeTyped, fillZeroValue } from './decode-typed.ts';
export { validate } from './validate.ts';
export { CelRules } from './cel-rules.ts';
