export { PowerControl } from './power-control.ts';
