export { sensorsOf } from './sensors-of.ts';
