export { computerSystem } from './computer-system.ts';
