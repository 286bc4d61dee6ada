export { LoginGuard, type LockoutPolicy, type LoginAttempt } from './login-guard.ts';
export { LoginSources } from './login-sources.ts';
export { RecentMap } from './login-sources.ts';
