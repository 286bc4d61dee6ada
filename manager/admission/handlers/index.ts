export { mutate, type MutationOptions } from './mutate.ts';
export { validate } from './validate.ts';
