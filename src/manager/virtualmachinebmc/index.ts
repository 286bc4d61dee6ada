export { allCaches, createCaches } from './caches.ts';
export type { AgentOverrides, AgentSettings } from './children/agent-settings.ts';
export { virtualMachineBmcController } from './controller.ts';
export { NamedSecrets } from './named-secrets.ts';
