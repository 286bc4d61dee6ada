export { podLog } from './pod-log.ts';
export { requestToken } from './token-request.ts';
export { selfSubjectAccessReview, selfSubjectReview } from './reviews.ts';
