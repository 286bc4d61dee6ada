export { type Answer, jsonAnswer, send } from './answer.ts';
export { checkIfMatch, isUnchanged } from './conditions.ts';
export { doneAnswer, errorAnswer, extendedInfo } from './error-answer.ts';
export { callerKey, type Exchange, resourceEvent, type Service } from './exchange.ts';
export { gone, notAllowed } from './refusals.ts';
