export { WebhookAdmission } from './webhook-admission.ts';
export { matchConditions, type MatchConditions } from './match-conditions.ts';
export { configurationStrategy } from './configuration-strategy.ts';
