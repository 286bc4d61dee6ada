import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../harness/repository.ts';
import { needs } from '../tools/index.ts';

const run = promisify(execFile);
const PACKAGES = ['apiserver', 'controller-runtime', 'kubevirt-simulator'];

describe('the packages, packed and installed elsewhere', needs('tar'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-packages-'));
  const modules = join(folder, 'node_modules');
  const installed = (name: string) => join(modules, '@groundcrew', name);

  beforeAll(async () => {
    mkdirSync(join(modules, '@groundcrew'), { recursive: true });
    // Without a registry: the packages of others come from the repository.
    for (const name of readdirSync(join(repository, 'node_modules')))
      if (name !== '@groundcrew') symlinkSync(join(repository, 'node_modules', name), join(modules, name));
    await Promise.all(PACKAGES.map(install));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** `npm run build`, `npm pack`, and what `npm install` does with the archive. */
  async function install(name: string): Promise<void> {
    const built = join(folder, `built-${name}`);
    await run('npm', ['run', 'build', '--workspace', `packages/${name}`, '--', built], { cwd: repository });
    const { stdout } = await run('npm', ['pack', '--silent', built], { cwd: folder });
    mkdirSync(installed(name));
    await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', installed(name), '--strip-components', '1']);
  }

  it('have JavaScript and types, and neither TypeScript nor tests', () => {
    for (const name of PACKAGES) {
      const files = readdirSync(installed(name), { recursive: true }).map(String);
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'index.js', 'index.d.ts']));
      expect(files.filter((file) => /(?<!\.d)\.ts$|\.(test|suite)\.|^(contract|suites)/.test(file))).toEqual([]);
    }
  });

  it('run the example of the API server as JavaScript', async () => {
    cpSync(join(installed('apiserver'), 'example.js'), join(folder, 'example.js'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const { stdout } = await run(process.execPath, ['example.js'], { cwd: folder });
    expect(stdout).toBe('{"hello":"world"}\n');
  });

  it('export what their package.json names, with types', async () => {
    const { stdout } = await run(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        "import { startCluster } from '@groundcrew/kubevirt-simulator'; console.log(typeof startCluster)",
      ],
      { cwd: folder },
    );
    expect(stdout).toBe('function\n');
    const source = `import { startApiServer, type RunningApiServer } from '@groundcrew/apiserver';
      import { startCluster } from '@groundcrew/kubevirt-simulator';
      import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
      export const server: Promise<RunningApiServer> = startApiServer({ logger: silentLogger, clock: new FakeClock() });
      export const cluster: (options: never) => unknown = startCluster;
      // @ts-expect-error: the types are known, so that this is wrong
      export const wrong: Promise<string> = startApiServer({ logger: silentLogger });`;
    writeFileSync(join(folder, 'types.ts'), source);
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
    ];
    await run(join(repository, 'node_modules/.bin/tsc'), [...options, 'types.ts'], { cwd: folder });
  });
});
