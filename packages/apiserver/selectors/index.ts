export { parseLabelSelector, type LabelMatch } from './label-selector.ts';
export { parseFieldSelector, type ObjectMatch } from './field-selector.ts';
