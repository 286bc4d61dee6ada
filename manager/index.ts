export { createManager, type LeaderElectionSettings, type Manager, type ManagerOptions } from './manager.ts';
