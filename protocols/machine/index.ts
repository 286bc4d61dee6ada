export * from './machine.ts';
export * from './serial-console.ts';
export * from './display.ts';
export * from './event-log.ts';
export * from './hardware.ts';
export * from './media.ts';
