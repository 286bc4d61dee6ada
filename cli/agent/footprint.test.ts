import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Loads the same modules as an agent and prints the npm packages among them. */
const SCRIPT = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const result = next(specifier, context);
      if (result.url.includes('/node_modules/')) loaded.add(result.url);
      return result;
    },
  });
  for (const url of ${JSON.stringify(['plain-values.ts', 'run.ts'].map((file) => new URL(file, import.meta.url).href))}) await import(url);
  process.stdout.write(JSON.stringify([...loaded]));
`;

it('loads no package', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual([]);
});
