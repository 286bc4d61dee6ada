export { configurationName, Configurations } from './configurations.ts';
