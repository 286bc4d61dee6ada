import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillPath, npmSettings } from './bare-environment.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'groundcrew-path-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function put(place: string, ...programs: string[]): string {
  const path = join(folder, place);
  mkdirSync(path, { recursive: true });
  for (const name of programs) writeFileSync(join(path, name), '');
  return path;
}

describe('the PATH of the bare tier', () => {
  it('has only node, npm, git, a shell and coreutils', () => {
    const machine = put('bin', 'node', 'npm', 'npx', 'git', 'sh', 'bash', 'cat', 'kubectl', 'sed');
    const project = put('node_modules/.bin', 'node', 'vitest');
    fillPath(join(folder, 'path'), [project, machine].join(delimiter));
    expect(readdirSync(join(folder, 'path'))).toEqual(['bash', 'cat', 'git', 'node', 'npm', 'npx', 'sh']);
    expect(readlinkSync(join(folder, 'path/node'))).toBe(join(machine, 'node'));
  });

  it('requires git', () => {
    const machine = put('bin', 'node', 'npm', 'npx', 'sh', 'bash');
    expect(() => {
      fillPath(join(folder, 'path'), machine);
    }).toThrow('git is not on the PATH');
  });
});

it("npmSettings passes only the variables for npm's registry", () => {
  const asked = { npm_config_registry: 'https://npm.example.com/', HTTPS_PROXY: 'http://proxy.example.com:3128' };
  const other = { npm_config_prefix: '/usr', npm_config_local_prefix: '/project', CI: 'true', no_proxy: '' };
  expect(npmSettings({ ...asked, ...other }, '/home/me/.npmrc')).toEqual({
    npm_config_userconfig: '/home/me/.npmrc',
    ...asked,
  });
  expect(npmSettings({ npm_config_userconfig: '/etc/mine' }, '/home/me/.npmrc')).toEqual({
    npm_config_userconfig: '/etc/mine',
  });
});
