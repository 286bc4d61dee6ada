export { FakeClock } from './fake-clock.ts';
export { silentLogger } from './silent-logger.ts';
export { deepFreeze } from './deep-freeze.ts';
export { ScriptedApi } from './scripted-api.ts';
