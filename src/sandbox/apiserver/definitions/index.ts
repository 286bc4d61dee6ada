export { definitionStrategy } from './definition-strategy.ts';
export { customResources } from './custom-resources.ts';
