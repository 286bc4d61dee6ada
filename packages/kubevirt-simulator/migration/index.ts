export { MIGRATION_WEBHOOKS } from './webhooks.ts';
export { MigrationController } from './migration-controller.ts';
