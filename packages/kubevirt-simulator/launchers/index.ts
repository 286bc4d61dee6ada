export {
  CREATED_BY,
  hasEnded,
  LAUNCHER_IMAGE,
  LAUNCHER_SELECTOR,
  launcherOf,
  MIGRATION_JOB,
  NODE_NAME,
  readyOf,
} from './launcher-pod.ts';
export { Launchers } from './launchers.ts';
export { launcherActions, type LauncherAction } from './launcher-decision.ts';
