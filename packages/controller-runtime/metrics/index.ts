export { Metrics, type QueueState, type ReconcileResult } from './metrics.ts';
