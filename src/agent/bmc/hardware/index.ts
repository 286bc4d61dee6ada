export { hardwareOf } from './hardware-of.ts';
