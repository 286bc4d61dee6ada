import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
import tseslint from 'typescript-eslint';
import { environmentAtTheEdge, importTable } from '../../eslint.boundaries.ts';

const root = new URL('../..', import.meta.url).pathname;
const eslint = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  baseConfig: [{ files: ['**/*.ts'], languageOptions: { parser: tseslint.parser } }, importTable, environmentAtTheEdge],
});

/** Rules that a file of that path and content breaks. */
async function broken(path: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: `${root}${path}` });
  return (result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message);
}

const allowed: [string, string][] = [
  ['src/api/sample.ts', "import { z } from 'zod';"],
  ['src/protocols/ipmi/sample.ts', "import { createHmac } from 'node:crypto';"],
  ['src/protocols/ipmi/sample.ts', "import type { Machine } from '../machine/index.ts';"],
  ['src/manager/sample.ts', "import { KubeClient } from '../kube/index.ts';"],
  ['src/agent/bmc/sample.ts', "import type { Machine } from '../../protocols/machine/index.ts';"],
  ['src/sandbox/kubelet/sample.ts', "import { PODS } from '../../kube/index.ts';"],
  ['src/cli/sample.ts', "import { undiciTransport } from '../kube/transport-undici.ts';"],
  ['src/cli/sample.ts', "import pino from 'pino';"],
  ['src/cli/sample.ts', 'export const home = process.env;'],
  ['src/kube/queue.test.ts', "import fc from 'fast-check';"],
];

const refused: [string, string, string][] = [
  ['the resources know nothing of the client', 'src/api/sample.ts', "import { KubeClient } from '../kube/index.ts';"],
  ['the resources load nothing but zod', 'src/api/sample.ts', "import { parse } from 'yaml';"],
  [
    'protocols know nothing of Kubernetes',
    'src/protocols/ipmi/sample.ts',
    "import { PODS } from '../../kube/index.ts';",
  ],
  ['protocols load no package', 'src/protocols/ipmi/sample.ts', "import { z } from 'zod';"],
  ['the runtime knows nothing of BMCs', 'src/kube/sample.ts', "import { agentName } from '../api/index.ts';"],
  [
    'the manager speaks no protocol',
    'src/manager/sample.ts',
    "import type { Machine } from '../protocols/machine/index.ts';",
  ],
  ['agents know nothing of the manager', 'src/agent/bmc/sample.ts', "import { x } from '../../manager/index.ts';"],
  [
    'stand-ins know nothing of agents',
    'src/sandbox/kubelet/sample.ts',
    "import { x } from '../../agent/bmc/index.ts';",
  ],
  ['a house is imported through its face', 'src/manager/sample.ts', "import { KubeClient } from '../kube/client.ts';"],
  ['type imports count too', 'src/manager/sample.ts', "import type { ClientOptions } from '../kube/client.ts';"],
  ['fakes are for tests', 'src/manager/sample.ts', "import { FakeClock } from '../kube/testing/index.ts';"],
  ['only entry points choose a logger', 'src/agent/bmc/sample.ts', "import pino from 'pino';"],
  ['re-exports count too', 'src/manager/sample.ts', "export * from '../kube/client.ts';"],
  ['so do dynamic imports', 'src/manager/sample.ts', "export const x = await import('../kube/client.ts');"],
];

describe('the import table', () => {
  it.each(allowed)('lets %s say: %s', async (path, code) => {
    expect(await broken(path, code)).toEqual([]);
  });

  it.each(refused)('refuses, as %s: %s: %s', async (_why, path, code) => {
    expect(await broken(path, code)).toEqual(['boundaries/dependencies']);
  });

  it('refuses a source file outside every house', async () => {
    expect(await broken('src/stray.ts', 'export {};')).toEqual(['boundaries/no-unknown-files']);
  });

  it('refuses to read the environment away from the entry points', async () => {
    expect(await broken('src/kube/sample.ts', 'export const home = process.env.HOME;')).toEqual([
      'no-restricted-properties',
    ]);
  });
});
