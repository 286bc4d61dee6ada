export { aVmi } from './builders.ts';
export { Reader } from '../console/testing/reader.ts';
export { ToldCache } from '../console/testing/told-cache.ts';
