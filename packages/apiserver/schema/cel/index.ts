export { CelRules, type CompiledRule } from './cel-rules.ts';
export { compileExpression } from './compile-expression.ts';
export { ValueScope } from './scope.ts';
export { BOOL, DYN, listOf, mapOf, STRING, typeText, type CelType } from './types.ts';
export { CelError, ListValue, MapValue, type CelValue } from './values.ts';
