export { type Schema, type ValidationRule, propertyOf } from './schema.ts';
export { BuiltinSchemas } from './builtin-schemas.ts';
export { prune, pruneValue } from './prune.ts';
export { setDefaults, dropNulls } from './set-defaults.ts';
export { convertTyped, decodeStruct, decodeTyped, zeroValue } from './decode-typed.ts';
export { coerceEmbedded, embeddedErrors } from './embedded-resources.ts';
export { duplicateItems } from './list-types.ts';
export { validate } from './validate.ts';
export { Correlation } from './correlation.ts';
export { compilePattern } from './patterns.ts';
export { isEnforced, isMissing } from './formats.ts';
export { fieldErrors } from './field-errors.ts';
export { goJson, goValue, quoted } from './go-text.ts';
export { nameRules } from './name-rules.ts';
export { ownerErrors } from './owner-rules.ts';
export {
  BOOL,
  CelError,
  CelRules,
  compileExpression,
  DYN,
  listOf,
  ListValue,
  mapOf,
  MapValue,
  STRING,
  typeText,
  ValueScope,
  type CelType,
  type CelValue,
} from './cel/index.ts';
