export { TablePresentation } from './table-presentation.ts';
export { builtinColumns } from './builtin-columns.ts';
export { customColumns } from './custom-columns.ts';
