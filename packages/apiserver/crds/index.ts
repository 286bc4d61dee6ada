export { definitionStrategy } from './definition-strategy.ts';
export { customResources } from './custom-resources.ts';
export { acceptNames, isConditionTrue, withCondition, type Condition } from './accept-names.ts';
