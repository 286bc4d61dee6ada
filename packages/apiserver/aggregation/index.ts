export { Aggregator } from './aggregator.ts';
export { AvailabilityLoop } from './availability-loop.ts';
