export { builtinResources } from './builtin-resources.ts';
export { builtinStrategies } from './builtin-strategies.ts';
