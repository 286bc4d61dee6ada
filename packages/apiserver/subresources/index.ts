export { checkLogOptions } from './pod-log.ts';
export { podLog } from './pod-log.ts';
export { requestToken } from './token-request.ts';
export { Reviews } from './reviews.ts';
