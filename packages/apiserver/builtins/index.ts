export { builtinResources } from './resources.ts';
export { builtinStrategies } from './strategies.ts';
