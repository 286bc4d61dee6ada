export { bootOptionsOf } from './boot-options.ts';
export { bootOptionNamed, devicePathOf, referenceOf } from './references.ts';
