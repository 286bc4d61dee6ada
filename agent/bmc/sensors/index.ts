export { LauncherUsage } from './launcher-usage.ts';
export { sensorsOf } from './sensors-of.ts';
