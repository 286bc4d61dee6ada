import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('loads without zod, so that agents stay small', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      urls.push(resolved.url);
      return resolved;
    } });
    await import(${JSON.stringify(new URL('index.ts', import.meta.url).href)});
    console.log(urls.filter((url) => /\\/node_modules\\/(?!ipaddr\\.js\\/)/.test(url) || url.includes('/schemas/')).join(' '));
    console.log(urls.length);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  const [loaded, count] = stdout.split('\n');
  expect(loaded).toBe('');
  expect(Number(count)).toBeGreaterThan(10);
});
