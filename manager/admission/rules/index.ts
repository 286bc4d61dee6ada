export * from './ippool/index.ts';
export * from './networkconfig/index.ts';
export * from './virtualmachine/index.ts';
export * from './virtualmachinebmc/index.ts';
export { evaluate, messageOf, type FieldError, type Rule, type Verdict } from './verdict.ts';
