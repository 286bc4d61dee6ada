export { caBundle } from './ca-bundle.ts';
