export { InternalWriter } from './writers.ts';
export { GarbageCollector } from './garbage-collector.ts';
export { NamespaceLoop } from './namespace-loop.ts';
export { DefinitionLoop } from './definition-loop.ts';
export { expireEvents } from './event-expiry.ts';
