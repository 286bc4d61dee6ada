import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Imports the same modules as an agent and prints the loaded packages, and the built-ins that cost memory. */
const SCRIPT = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const result = next(specifier, context);
      if (!result.url.startsWith('file:') || result.url.includes('/node_modules/')) loaded.add(result.url);
      return result;
    },
  });
  await import(${JSON.stringify(new URL('index.ts', import.meta.url))});
  const { httpsTransport } = await import(${JSON.stringify(new URL('transport-https.ts', import.meta.url))});
  await httpsTransport({ server: 'https://127.0.0.1:1' }).close();
  for (const name of process.moduleLoadList) if (name.includes('undici')) loaded.add(name);
  process.stdout.write(JSON.stringify([...loaded]));
`;

it('loads no package for an agent, and no built-in except node:path', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual(['node:path']);
});
