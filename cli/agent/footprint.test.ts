import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Imports files in a new process. Returns the npm packages that are loaded, and those of Node's modules that cost memory. */
function loadedBy(...files: string[]): { packages: string[]; builtins: string[] } {
  const urls = files.map((file) => new URL(`../../${file}`, import.meta.url).href);
  const script = `
    import { registerHooks } from 'node:module';
    const packages = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        const result = next(specifier, context);
        const [, name] = /\\/node_modules\\/([^/]+)/.exec(result.url) ?? [];
        if (name !== undefined) packages.add(name);
        return result;
      },
    });
    for (const url of ${JSON.stringify(urls)}) await import(url);
    const builtins = process.moduleLoadList.filter((name) => /undici|fs\\/promises|worker_threads/.test(name));
    process.stdout.write(JSON.stringify({ packages: [...packages], builtins }));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  return JSON.parse(output) as ReturnType<typeof loadedBy>;
}

it('the command line of an agent loads no package', () => {
  expect(loadedBy('cli/agent/plain-values.ts', 'cli/agent/run.ts').packages).toEqual([]);
});

it('a DHCP agent loads no package but ipaddr.js', () => {
  expect(loadedBy('agent/dhcp/main.ts')).toEqual({ packages: ['ipaddr.js'], builtins: [] });
});

it('a BMC agent loads no console packages until a console is opened', () => {
  expect(loadedBy('agent/bmc/main.ts').packages).not.toContain('ws');
});

it('a BMC agent with Redfish loads no package but ipaddr.js before its first request', () => {
  const files = ['agent/bmc/main.ts', 'protocols/redfish/index.ts', 'protocols/redfish/https/index.ts'];
  expect(loadedBy(...files).packages).toEqual(['ipaddr.js']);
});
