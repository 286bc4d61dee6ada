import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

interface Module {
  /** Modules that it may import through their faces; packages by their npm name. */
  imports: readonly string[];
  /** npm packages of others that it may load. */
  npm: readonly string[];
  /** Node's own modules that it may load; absent: all. */
  node?: readonly string[];
  /** Files beside `index.ts` that others may import. */
  faces?: readonly RegExp[];
}

const RUNTIME = '@groundcrew/controller-runtime';
const API_SERVER = '@groundcrew/apiserver';
const SIMULATOR = '@groundcrew/kubevirt-simulator';

/** The import table of docs/architecture.md, by folder. The first folder that holds a file is its module. */
const LAYERS: Readonly<Record<string, Module>> = {
  api: { imports: [], npm: ['ipaddr.js', 'zod'], node: ['node:crypto'], faces: [/^schemas\/index\.ts$/] },
  protocols: {
    imports: [],
    npm: ['ipaddr.js', 'ws'],
    faces: [/^(accounts|c-library|serial-queue)\.ts$/, /^[^/]+\/index\.ts$/, /^redfish\/(https|testing)\/index\.ts$/],
  },
  manager: { imports: ['api', RUNTIME], npm: [], faces: [/^main\.ts$/] },
  'agent/bmc': {
    imports: ['api', 'protocols', 'agent/process', 'web/server', RUNTIME],
    npm: [],
    faces: [/^main\.ts$/],
  },
  'agent/dhcp': { imports: ['api', 'protocols', 'agent/process', RUNTIME], npm: [], faces: [/^main\.ts$/] },
  'agent/process': { imports: [RUNTIME], npm: [] },
  cli: {
    imports: ['api', 'protocols', 'manager', 'agent/bmc', 'agent/dhcp', 'web/server', RUNTIME, API_SERVER, SIMULATOR],
    npm: ['commander', 'pino', 'pino-pretty', 'tar-stream', 'yaml', 'ws'],
    // What the page of `groundcrew web` shares with it; these files import nothing else.
    faces: [/^status\/overview(-changes|-order|-unready)?\.ts$/],
  },
  'web/server': { imports: [], npm: [] },
  // What runs in the browser has no module of Node's.
  'web/common': { imports: [], npm: ['preact'], node: [], faces: [/^[^/]+\.(ts|tsx|css)$/] },
  'web/bmc': {
    imports: ['web/common'],
    npm: ['preact', '@novnc/novnc', '@xterm/xterm', '@xterm/addon-fit'],
    node: [],
  },
  'web/fleet': { imports: ['web/common', 'cli'], npm: ['preact'], node: [] },
  'packages/controller-runtime': {
    imports: [],
    npm: [
      '@kubernetes/client-node',
      '@peculiar/x509',
      'asn1js',
      'ipaddr.js',
      'reflect-metadata',
      'undici',
      'prom-client',
      'ws',
    ],
  },
  'packages/apiserver': {
    imports: [RUNTIME],
    npm: ['@marcbachmann/cel-js', 'fast-json-patch', 'yaml'],
  },
  'packages/kubevirt-simulator': { imports: [RUNTIME, API_SERVER], npm: ['ws', 'yaml'] },
};

/** Suites run whole clusters, so they load the test harness and whatever else they need. */
const SUITES = /^packages\/[^/]+\/(contract|suites)\//;
const TESTS = /\.test\.ts$|\/testing\//;

/** The imports of one file that the table does not allow, one line each. */
export function forbiddenImports(file: string, code: string): string[] {
  if (SUITES.test(file)) return [];
  const home = moduleOf(file);
  if (home === undefined) return [`${file} is in no module of test/lint/layers.ts`];
  return specifiersOf(file, code)
    .filter((specifier) => !isAllowed(specifier, file, home))
    .map((specifier) => `${file} imports ${specifier}`);
}

/** What a file of a BMC agent imports of KubeVirt. Only `agent/bmc/kubevirt` may. */
export function importsOfKubeVirt(file: string, code: string, kubeVirtNames: ReadonlySet<string>): string[] {
  if (TESTS.test(file) || file.startsWith('agent/bmc/kubevirt/')) return [];
  return parseSync(file, code)
    .module.staticImports.filter(({ moduleRequest }) => moduleRequest.value.endsWith('/api/index.ts'))
    .flatMap(({ entries }) => entries.flatMap(({ importName }) => importName.name ?? []))
    .filter((name) => kubeVirtNames.has(name))
    .map((name) => `${file} imports ${name}`);
}

/** The names that a file exports itself. */
export function exportsOf(file: string, code: string): string[] {
  const { module } = parseSync(file, code);
  return module.staticExports.flatMap(({ entries }) => entries.flatMap(({ exportName }) => exportName.name ?? []));
}

function isAllowed(specifier: string, file: string, home: string): boolean {
  const { imports, npm, node } = LAYERS[home] as Module;
  const isTest = TESTS.test(file);
  if (isBuiltin(specifier)) return isTest || node === undefined || node.includes(specifier);
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file), specifier);
    const other = moduleOf(target);
    if (other === home) return true;
    return other !== undefined && imports.includes(other) && isFace(target.slice(other.length + 1), other);
  }
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  // An example names its own package, as its readers do.
  if (name === `@groundcrew/${posix.basename(home)}`) return true;
  if (name.startsWith('@groundcrew/')) return imports.includes(name) && (isTest || !specifier.includes('/testing'));
  const isLogger = name.startsWith('pino') && posix.basename(file) === 'main.ts';
  return isTest || npm.includes(name) || isLogger;
}

function isFace(path: string, module: string): boolean {
  return path === 'index.ts' || (LAYERS[module]?.faces ?? []).some((face) => face.test(path));
}

function moduleOf(file: string): string | undefined {
  return Object.keys(LAYERS).find((folder) => file.startsWith(`${folder}/`));
}

function specifiersOf(file: string, code: string): string[] {
  const { module } = parseSync(file, code);
  const text = ({ start, end }: { start: number; end: number }): string => code.slice(start, end);
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...module.dynamicImports.flatMap(({ moduleRequest }) => /^(['"])(.+)\1$/.exec(text(moduleRequest))?.[2] ?? []),
  ];
}
