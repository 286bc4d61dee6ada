export { PowerControl, type PowerControlOptions } from './power-control.ts';
