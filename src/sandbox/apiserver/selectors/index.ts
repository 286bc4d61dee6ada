export { parseLabelSelector, type LabelMatch } from './label-selector.ts';
export { parseFieldSelector, type FieldSelector, type ObjectMatch } from './field-selector.ts';
