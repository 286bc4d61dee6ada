export { cpuCountOf, hardwareOf, memoryBytesOf } from './hardware-of.ts';
