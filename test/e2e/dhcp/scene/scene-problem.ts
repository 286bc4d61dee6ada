import { namespaceProblem } from '../../../harness/namespaces/index.ts';
import { findTool, howToInstall, type ToolName } from '../../../tools/index.ts';

/** Why a test that needs a scene and `tools` cannot run on this machine; undefined where it can. */
export function sceneProblem(tools: readonly ToolName[] = []): string | undefined {
  const missing = (['ip', 'tcpdump', ...tools] as const).find((tool) => findTool(tool) === undefined);
  return missing === undefined
    ? namespaceProblem()
    : `${missing} is missing; this installs it: ${howToInstall(missing)}`;
}
