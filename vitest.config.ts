import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/run/longest-first.ts';

/** Suites of BMCs and of KubeVirt: of the real servers they run on the one that has the real KubeVirt beside it. */
const onKubeVirt = [
  'test/suites/{accounts,bmc-state,console,media,networkboot,power,redfish,shared,skew}/**/*.suite.ts',
  'packages/kubevirt-simulator/suites/kubevirt/*.suite.ts',
  // Those left out begin on a cluster without KubeVirt, or make many virtual machines.
  'test/suites/manager/!(cost|process|uninstall).suite.ts',
];
const suites = ['test/suites/**/*.suite.ts', 'packages/*/{contract,suites}/**/*.suite.ts'];

/** Suites of what accounts may do. */
const rights = ['test/suites/accounts/{agent-rights,tenancy}.suite.ts'];

/** Files share modules, which keep no state: loading these for each file took as long as the tests. */
const isolate = false;
const onRealServers = {
  globalSetup: 'test/harness/kubernetes/global-setup.ts',
  isolate,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['{api,protocols,manager,agent,cli,packages}/**/*.ts', 'web/**/*.ts'],
      // reference.ts writes docs/api.md, which the tier `static` compares.
      exclude: ['**/*.test.ts', '**/testing/**', 'packages/*/{contract,suites}/**', 'api/crd/reference.ts'],
      reporter: ['text-summary', 'html'],
      reportOnFailure: true,
      // Of the unit tests alone. What runs as a process of its own (cli, agent) is covered by suites and e2e instead.
      thresholds: {
        lines: 80,
        branches: 70,
        'api/**': { lines: 98, branches: 90 },
        'protocols/**': { lines: 98, branches: 90 },
        'packages/controller-runtime/**': { lines: 95, branches: 80 },
      },
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{api,protocols,manager,agent,cli,web}/**/*.test.ts',
            'packages/*/{*,!(contract|suites)/**/*}.test.ts',
            'test/{lint,tools,harness,run,bench,compatibility}/**/*.test.ts',
          ],
          isolate,
          // As in the image.
          execArgv: ['--experimental-ffi', '--disable-warning=ExperimentalWarning'],
          testTimeout: 10_000,
          expect: { poll: { timeout: 5_000 } },
        },
      },
      {
        test: {
          name: 'embedded',
          include: suites,
          exclude: [
            // Compares the embedded server with a real one, so it needs both.
            'packages/apiserver/contract/random-requests.suite.ts',
            // About RBAC and admission policies, which the embedded server does not have.
            ...rights,
          ],
          provide: { server: 'embedded' },
          isolate,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 10_000 } },
        },
      },
      {
        test: {
          name: 'kubernetes',
          include: [...suites, 'test/chart/**/*.test.ts'],
          exclude: onKubeVirt,
          provide: { server: 'kubernetes' },
          ...onRealServers,
        },
      },
      {
        test: {
          name: 'kubevirt',
          include: onKubeVirt,
          exclude: [
            // The simulated nodes of the real KubeVirt cannot follow a live migration to its end.
            'packages/kubevirt-simulator/suites/kubevirt/migration.suite.ts',
          ],
          provide: { server: 'kubevirt' },
          ...onRealServers,
        },
      },
      {
        test: {
          name: 'soak',
          include: ['test/soak/*.soak.ts'],
          provide: { server: 'kubevirt' },
          ...onRealServers,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
});
