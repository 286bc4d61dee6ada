import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../harness/repository.ts';
import { exportsOf, forbiddenImports, importsOfKubeVirt } from './layers.ts';

it('no module imports what the table of layers does not allow', () => {
  const files = globSync('{api,protocols,manager,agent,cli,packages,web}/**/*.{ts,tsx}', {
    cwd: repository,
    exclude: (path) => path.endsWith('node_modules') || path.endsWith('dist'),
  });
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => forbiddenImports(file, readFileSync(join(repository, file), 'utf8')))).toEqual([]);
});

describe('what a BMC agent knows of KubeVirt', () => {
  const read = (file: string): string => readFileSync(join(repository, file), 'utf8');
  const names = new Set(
    globSync('api/{kubevirt/*,data-volume}.ts', { cwd: repository }).flatMap((file) => exportsOf(file, read(file))),
  );

  it('stands in agent/bmc/kubevirt', () => {
    expect(names.has('VirtualMachine') && names.has('DATA_VOLUMES')).toBe(true);
    const files = globSync('agent/bmc/**/*.ts', { cwd: repository });
    expect(files.flatMap((file) => importsOfKubeVirt(file, read(file), names))).toEqual([]);
  });

  it('is found in an import', () => {
    const code = "import { type VirtualMachine, type VirtualMachineBMC } from '../../api/index.ts';";
    expect(importsOfKubeVirt('agent/bmc/sample.ts', code, names)).toEqual([
      'agent/bmc/sample.ts imports VirtualMachine',
    ]);
    expect(importsOfKubeVirt('agent/bmc/kubevirt/sample.ts', code, names)).toEqual([]);
  });
});

describe('the table of layers', () => {
  it.each([
    ['api/sample.ts', "import { z } from 'zod';"],
    ['protocols/ipmi/sample.ts', "import { createHmac } from 'node:crypto';"],
    ['protocols/ipmi/sample.ts', "import type { Machine } from '../machine/index.ts';"],
    ['manager/sample.ts', "import { KubeClient } from '@groundcrew/controller-runtime';"],
    ['agent/bmc/sample.ts', "import type { Machine } from '../../protocols/machine/index.ts';"],
    ['cli/sample.ts', "import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';"],
    ['manager/main.ts', "import pino from 'pino';"],
    ['manager/queue.test.ts', "import fc from 'fast-check';"],
    ['packages/kubevirt-simulator/kubelet/sample.ts', "import { startApiServer } from '@groundcrew/apiserver';"],
  ])('lets %s say: %s', (file, code) => {
    expect(forbiddenImports(file, code)).toEqual([]);
  });

  it.each([
    ['api imports no client', 'api/sample.ts', "import { KubeClient } from '@groundcrew/controller-runtime';"],
    ['api loads only its own dependencies', 'api/sample.ts', "import { parse } from 'yaml';"],
    [
      'protocols import no Kubernetes',
      'protocols/ipmi/sample.ts',
      "import { PODS } from '@groundcrew/controller-runtime';",
    ],
    ['protocols import no resources', 'protocols/ipmi/sample.ts', "import { IP_POOLS } from '../../api/index.ts';"],
    [
      'the manager imports no protocol',
      'manager/sample.ts',
      "import type { Machine } from '../protocols/machine/index.ts';",
    ],
    ['agents do not import the manager', 'agent/bmc/sample.ts', "import { x } from '../../manager/index.ts';"],
    [
      'packages do not import agents',
      'packages/kubevirt-simulator/sample.ts',
      "import { x } from '../../agent/bmc/index.ts';",
    ],
    [
      'the API server does not import the simulator',
      'packages/apiserver/a.ts',
      "import { x } from '@groundcrew/kubevirt-simulator';",
    ],
    ['modules are imported through their faces', 'manager/sample.ts', "import { x } from '../api/ipv4.ts';"],
    ['type imports count', 'manager/sample.ts', "import type { X } from '../api/ipv4.ts';"],
    ['fakes are for tests', 'manager/sample.ts', "import { FakeClock } from '@groundcrew/controller-runtime/testing';"],
    ['only entry points choose a logger', 'agent/bmc/sample.ts', "import pino from 'pino';"],
    ['re-exports count', 'manager/sample.ts', "export * from '../api/ipv4.ts';"],
    ['dynamic imports count', 'manager/sample.ts', "export const x = await import('../api/ipv4.ts');"],
    ['pages run in a browser', 'web/bmc/sample.tsx', "import { readFileSync } from 'node:fs';"],
    ['every file is in a module', 'stray/sample.ts', 'export {};'],
  ])('refuses, since %s, in %s: %s', (_why, file, code) => {
    expect(forbiddenImports(file, code)).toHaveLength(1);
  });
});
