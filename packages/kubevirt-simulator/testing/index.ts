export { aVmi } from './builders.ts';
export { Reader } from './console.ts';
export { ToldCache } from './console.ts';
