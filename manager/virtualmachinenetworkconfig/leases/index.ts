export { leaseController } from './controller.ts';
export { release, remove, retain, revive, type LeaseWriter } from './release.ts';
