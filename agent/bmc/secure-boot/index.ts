export { SecureBootControl } from './secure-boot-control.ts';
