export { WebhookAdmission } from './webhook-admission.ts';
export { matchConditions, type MatchConditions } from './webhook.ts';
export { configurationStrategy } from './configuration-strategy.ts';
