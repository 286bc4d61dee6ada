export { Controller, type ControllerOptions, type Reconcile, type Result } from './controller.ts';
export { self, ownerOf } from './mapping.ts';
export { annotationsChanged, generationChanged, labelsChanged, or, type Predicate } from './predicates.ts';
export type { RateLimit } from './queue.ts';
export { source, type Source } from './source.ts';
