export { LoginGuard, type LockoutPolicy, type LoginAttempt } from './login-guard.ts';
export { RecentMap } from './recent-map.ts';
