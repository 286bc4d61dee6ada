export { customResourceDefinition } from './custom-resource-definition.ts';
export { CUSTOM_RESOURCES } from './custom-resources.ts';
export { referenceOf } from './reference.ts';
