export { WebhookAdmission } from './webhook-admission.ts';
export { MatchConditions } from './match-conditions.ts';
export { configurationStrategy } from './configuration-strategy.ts';
