export { get, ownAnswer, shown } from './get.ts';
export { composePayload, ownUri } from './payload.ts';
