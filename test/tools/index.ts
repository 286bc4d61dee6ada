export { findTool } from './find.ts';
export { howToInstall, installTools } from './install.ts';
export { previousChart } from './previous-release.ts';
export { lackingTools, needs, needsRoot, skippedFor, type Lack, type Needs } from './needs.ts';
export type { ToolName } from './catalogue.ts';
