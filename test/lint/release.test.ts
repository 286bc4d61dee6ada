import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { releaseNotes } from '../../scripts/changelog.ts';
import { versionPlaces } from '../../scripts/version-places.ts';
import { repository } from '../harness/repository.ts';

const SCRIPTS = ['release', 'version-places', 'changelog'].map((name) => `scripts/${name}.ts`);
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
const NEXT = '99.0.0';

describe('npm run release, in a copy of the files that it changes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-release-'));
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(folder, 'config'),
  };
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
  const git = (...args: string[]): string => {
    const { status, stdout, stderr } = run('git', ...args);
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  const release = (...args: string[]) => run(process.execPath, 'scripts/release.ts', ...args);

  beforeAll(() => {
    const files = versionPlaces(repository).map(({ file }) => file);
    for (const file of [...files, ...SCRIPTS, 'CHANGELOG.md', 'test/tools/previous-release.json'])
      cpSync(join(repository, file), join(folder, file));
    writeFileSync(env.GIT_CONFIG_GLOBAL, '[user]\nname = Test\nemail = test@example.com\n');
    writeFileSync(join(folder, '.gitignore'), 'config\n');
    git('init', '--quiet', '--initial-branch', 'main');
    git('add', '.');
    git('commit', '--quiet', '--message', 'all');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('refuses a next version that is not a version or not later, and work that is not committed', () => {
    expect(release().stderr).toContain('npm run release -- 1.2.3');
    expect(release(version)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not later than') as string,
    });
    writeFileSync(join(folder, 'new'), '');
    expect(release(NEXT).stderr).toContain('not committed');
    rmSync(join(folder, 'new'));
    expect(git('log', '--format=%s')).toBe('all');
  });

  it('tags the version, and begins the next one with the record of this one', () => {
    expect(release(NEXT)).toMatchObject({ status: 0, stderr: '' });
    expect(git('log', '--format=%s')).toBe(`release: ${NEXT} begins\nrelease: ${version}\nall`);
    const tag = `v${version}`;
    expect(git('diff', '--name-only', 'HEAD~2', tag)).toBe('CHANGELOG.md');
    const released = git('show', `${tag}:CHANGELOG.md`);
    expect(releaseNotes(released, version)).toMatch(/^Released on \d{4}-\d\d-\d\d\. What it has over \S+:\n/);

    for (const { file, rewrite } of versionPlaces(folder)) {
      const text = readFileSync(join(folder, file), 'utf8');
      expect(rewrite(text, NEXT)).toBe(text);
    }
    const changelog = git('show', 'HEAD:CHANGELOG.md');
    expect(releaseNotes(changelog, NEXT)).toBe(`Not released yet: what it has over ${version}.\n`);
    expect(releaseNotes(changelog, version)).toBe(releaseNotes(released, version));
    expect(JSON.parse(git('show', 'HEAD:test/tools/previous-release.json'))).toEqual({
      version,
      commit: git('rev-parse', `${tag}^{commit}`),
    });
    expect(git('status', '--porcelain')).toBe('');
  });

  it('refuses a version that is released', () => {
    git('reset', '--quiet', '--hard', 'HEAD~2');
    expect(release(NEXT).stderr).toContain(`v${version} exists already`);
  });
});
