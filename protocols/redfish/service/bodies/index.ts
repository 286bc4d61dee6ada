export { readBody } from './body.ts';
export { isObject, evaluateChanges, evaluateWhole } from './check-rules.ts';
export { NEW_PROPERTIES, parametersOf, PROPERTIES } from './grammar.ts';
