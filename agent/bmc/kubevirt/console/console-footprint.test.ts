import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Imports the agent and prints the loaded packages. */
const SCRIPT = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const result = next(specifier, context);
      if (result.url.includes('/node_modules/')) loaded.add(specifier);
      return result;
    },
  });
  await import(${JSON.stringify(new URL('../../main.ts', import.meta.url))});
  process.stdout.write(JSON.stringify([...loaded]));
`;

it('loads no console packages until a console is opened', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], { encoding: 'utf8' });
  expect(JSON.parse(output)).not.toContain('ws');
});
