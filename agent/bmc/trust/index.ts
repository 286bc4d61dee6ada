export { caBundle } from './ca-bundle.ts';
export { RememberedBundle } from './remembered-bundle.ts';
