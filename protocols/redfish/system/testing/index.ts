export { SystemUnderTest } from './system-under-test.ts';
