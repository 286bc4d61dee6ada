import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../harness/repository.ts';
import { version } from '../../cli/version.ts';
import { findTool, needs } from '../tools/index.ts';

const run = promisify(execFile);
const PACKAGES = ['apiserver', 'controller-runtime', 'kubevirt-simulator'];

/** Milliseconds to build all of it on a loaded machine. */
const TIMEOUT = 180_000;

describe('the files of a release', needs('tar', 'helm'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-packages-'));
  const files = join(folder, 'release');
  const modules = join(folder, 'node_modules');
  const installed = (name: string) => join(modules, '@groundcrew', name);
  const command = join(modules, 'groundcrew/dist/groundcrew.js');

  beforeAll(async () => {
    mkdirSync(join(modules, '@groundcrew'), { recursive: true });
    // Without a registry: the packages of others come from the repository.
    for (const name of readdirSync(join(repository, 'node_modules')))
      if (name !== '@groundcrew') symlinkSync(join(repository, 'node_modules', name), join(modules, name));
    const env = { ...process.env, HELM: findTool('helm') };
    await run(join(repository, 'scripts/artifacts.sh'), [files, `v${version()}`], { env });
    for (const name of PACKAGES) await unpack(`npm/groundcrew-${name}-${version()}.tgz`, installed(name));
    await unpack(`npm/groundcrew-${version()}.tgz`, join(modules, 'groundcrew'));
  }, TIMEOUT);
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** As `npm install` does it. */
  async function unpack(archive: string, target: string): Promise<void> {
    mkdirSync(target);
    await run('tar', ['-xzf', join(files, archive), '-C', target, '--strip-components', '1']);
  }

  it('are made of the version in package.json alone', async () => {
    const made = run(join(repository, 'scripts/artifacts.sh'), [join(folder, 'other'), 'v0.0.1']);
    await expect(made).rejects.toThrow(`The tag is v0.0.1, but package.json has version ${version()}.`);
  });

  it('have checksums, the notes of the changelog, manifests, a list of packages, and a chart', async () => {
    await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: files });
    const read = (file: string): string => readFileSync(join(files, file), 'utf8');
    expect(read('SHA256SUMS').split('\n').length).toBe(PACKAGES.length + 5);
    expect(read('notes.md')).toContain('### ');
    expect(read('install.yaml')).toMatch(new RegExp(`^ +image: \\S+/groundcrew:${version()}$`, 'm'));
    expect(JSON.parse(read('sbom.spdx.json'))).toMatchObject({ name: `groundcrew-${version()}` });
    const chart = join(files, `chart/groundcrew-${version()}.tgz`);
    const { stdout } = await run(findTool('helm') ?? '', ['show', 'chart', chart]);
    expect(stdout).toContain(`appVersion: ${version()}\n`);
  });

  it('have the command with its sandbox, and the types of the resources', async () => {
    const { stdout } = await run(process.execPath, [command, '--version']);
    expect(stdout).toBe(`${version()}\n`);
    expect((await run(process.execPath, [command, 'sandbox', '--help'])).stdout).toContain('--vms');
    const source = "import { IP_POOLS } from 'groundcrew/api'; console.log(IP_POOLS.kind)";
    const imported = await run(process.execPath, ['--input-type=module', '-e', source], { cwd: folder });
    expect(imported.stdout).toBe('IPPool\n');
  });

  it('have packages with JavaScript and types, and neither TypeScript nor tests', () => {
    for (const name of PACKAGES) {
      const files = readdirSync(installed(name), { recursive: true }).map(String);
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'index.js', 'index.d.ts']));
      expect(files.filter((file) => /(?<!\.d)\.ts$|\.(test|suite)\.|^(contract|suites)/.test(file))).toEqual([]);
    }
  });

  it('have an API server that runs its example as JavaScript', async () => {
    cpSync(join(installed('apiserver'), 'example.js'), join(folder, 'example.js'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const { stdout } = await run(process.execPath, ['example.js'], { cwd: folder });
    expect(stdout).toBe('{"hello":"world"}\n');
  });

  it('have packages that export what their package.json names, with types', async () => {
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
