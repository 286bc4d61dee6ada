export { readBody } from './body.ts';
export { isObject, judgeChanges, judgeWhole } from './check-rules.ts';
export { NEW_PROPERTIES, parametersOf, PROPERTIES } from './grammar.ts';
