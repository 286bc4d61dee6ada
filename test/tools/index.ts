export { findTool } from './find.ts';
export { howToInstall, installTools } from './install.ts';
export type { ToolName } from './catalogue.ts';
