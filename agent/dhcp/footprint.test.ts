import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Imports the agent and prints which packages were loaded for it, and which of Node's own that cost memory. */
const SCRIPT = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const result = next(specifier, context);
      const [, name] = /\\/node_modules\\/([^/]+)/.exec(result.url) ?? [];
      if (name !== undefined) loaded.add(name);
      return result;
    },
  });
  await import(${JSON.stringify(new URL('main.ts', import.meta.url))});
  for (const name of process.moduleLoadList) if (/undici|fs\\/promises|worker_threads/.test(name)) loaded.add(name);
  process.stdout.write(JSON.stringify([...loaded]));
`;

it('loads no package but ipaddr.js', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual(['ipaddr.js']);
});
