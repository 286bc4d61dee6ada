export { PowerAvailability } from './power-availability.ts';
export { PowerControl } from './power-control.ts';
