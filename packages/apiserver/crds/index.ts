export { definitionStrategy } from './definition-strategy.ts';
export { customResources } from './custom-resources.ts';
export { acceptNames } from './accept-names.ts';
export { isConditionTrue, withCondition, type Condition } from './conditions.ts';
