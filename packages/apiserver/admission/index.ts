export { WebhookAdmission } from './webhook-admission.ts';
export { configurationStrategy } from './configuration-strategy.ts';
