export * from './data-volume.ts';
