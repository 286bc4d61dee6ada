import boundaries from 'eslint-plugin-boundaries';
import type { ESLint, Linter } from 'eslint';

interface House {
  /** Other houses that it may import, through their faces. */
  houses: string[];
  /** What it may load from npm. */
  packages: string[];
  /** Which of Node's own modules; absent: all. */
  node?: string[];
  /** Files that others may import beside `index.ts`: parts kept apart so that not everybody loads them. */
  faces?: string[];
}

/** The import table of docs/architecture.md, one row per folder of src/. */
const table: Record<string, House> = {
  api: { houses: [], packages: ['zod'], node: ['node:crypto'], faces: ['schemas/index.ts'] },
  protocols: {
    houses: [],
    packages: ['express'],
    faces: ['accounts.ts', '*/index.ts', 'redfish/https/index.ts', 'redfish/testing/index.ts'],
  },
  kube: {
    houses: [],
    packages: ['@kubernetes/client-node', 'undici', 'prom-client', 'ws'],
    faces: ['transport-undici.ts', 'transport-https.ts', 'kubeconfig.ts', 'websocket.ts', 'metrics/index.ts'],
  },
  manager: { houses: ['api', 'kube'], packages: ['@peculiar/x509', 'reflect-metadata'], faces: ['main.ts'] },
  agent: { houses: ['api', 'kube', 'protocols', 'agent'], packages: [], faces: ['main.ts'] },
  sandbox: {
    houses: ['api', 'kube', 'protocols', 'sandbox'],
    packages: [
      '@marcbachmann/cel-js',
      '@peculiar/x509',
      'ws',
      'reflect-metadata',
      'yaml',
      // Node's own, which the plugin does not know yet.
      'node:sqlite',
    ],
  },
  cli: {
    houses: ['api', 'kube', 'protocols', 'manager', 'agent', 'sandbox'],
    packages: ['commander', 'pino', 'pino-pretty', 'yaml', '@peculiar/x509', 'reflect-metadata', 'ws'],
  },
};

function rowPolicies([house, row]: [string, House]): object[] {
  const from = { element: { type: house } };
  return [
    ...row.houses.map((other) => ({
      from,
      allow: {
        to: { element: { type: other, fileInternalPath: ['index.ts', ...(table[other]?.faces ?? [])] } },
      },
    })),
    { from, allow: { to: { module: { origin: 'external', source: row.packages } } } },
    { from, allow: { to: { module: { origin: 'core', source: row.node ?? '**' } } } },
  ];
}

/** Tests may load any package, and the kube house's fakes; they cross houses no more than the code beside them does. */
const testPolicies = [
  { from: { file: { categories: 'test' } }, allow: { to: { module: { origin: ['external', 'core'] } } } },
  {
    from: { file: { categories: 'test' } },
    allow: { to: { element: { type: 'kube', fileInternalPath: 'testing/index.ts' } } },
  },
  {
    from: { file: { categories: 'test' } },
    allow: { to: { element: { type: 'api', fileInternalPath: 'schemas/index.ts' } } },
  },
];

/** The entry points alone choose a logger. */
const mainPolicies = [
  {
    from: { file: { categories: 'main' } },
    allow: { to: { module: { origin: 'external', source: ['pino', 'pino-pretty'] } } },
  },
];

/** Lint configuration that enforces the import table on src/. */
export const importTable: Linter.Config = {
  files: ['src/**/*.ts'],
  // Its types describe the CommonJS module, what is loaded is its default export.
  plugins: { boundaries: boundaries as unknown as ESLint.Plugin },
  settings: {
    'boundaries/root-path': import.meta.dirname,
    'boundaries/elements': [
      { type: 'sandbox', pattern: 'src/sandbox/*', partialMatch: false },
      { type: 'agent', pattern: 'src/agent/*', partialMatch: false },
      ...Object.keys(table).map((house) => ({ type: house, pattern: `src/${house}`, partialMatch: false })),
    ],
    'boundaries/files': [
      { category: 'test', pattern: ['src/**/*.test.ts', 'src/**/testing/**'] },
      { category: 'main', pattern: 'src/**/main.ts' },
    ],
  },
  rules: {
    'boundaries/dependencies': [
      'error',
      {
        default: 'disallow',
        checkAllOrigins: true,
        policies: [...Object.entries(table).flatMap(rowPolicies), ...testPolicies, ...mainPolicies],
      },
    ],
    'boundaries/no-unknown-files': 'error',
  },
};

/** The environment is read at the entry points and passed in, so that nothing else depends on it. */
export const environmentAtTheEdge: Linter.Config = {
  files: ['src/**/*.ts'],
  ignores: ['src/cli/**', 'src/**/main.ts', 'src/**/*.test.ts'],
  rules: {
    'no-restricted-properties': [
      'error',
      { object: 'process', property: 'env', message: 'Read it in main.ts or src/cli and pass the value in.' },
    ],
  },
};
