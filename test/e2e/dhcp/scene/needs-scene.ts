import { namespaceProblem } from '../../../harness/namespaces/index.ts';
import { lackingTools, skippedFor, type Needs, type ToolName } from '../../../tools/index.ts';

/** Options of a test or a suite that needs a scene and `tools`: if one is missing, the test is skipped and counted. */
export function needsScene(...tools: readonly ToolName[]): Needs {
  const lacks = lackingTools(['ip', 'tcpdump', ...tools]);
  if (lacks.length > 0) return skippedFor(lacks);
  const problem = namespaceProblem();
  return skippedFor(problem === undefined ? [] : [{ what: 'network namespaces', remedy: problem }]);
}
