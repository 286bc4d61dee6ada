export { FailureLimiter } from './failure-limiter.ts';
