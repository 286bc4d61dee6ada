export { findTool } from './find.ts';
export { howToInstall, installTools } from './install.ts';
export { TOOLS, type ToolName } from './catalogue.ts';
