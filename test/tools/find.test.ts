import { chmodSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheDirectory } from './cache.ts';
import { findTool } from './find.ts';

describe('findTool', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-find-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function program(...path: string[]): string {
    const file = join(folder, ...path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, 0o755);
    return file;
  }

  const cached = () =>
    join(cacheDirectory('kubernetes', { XDG_CACHE_HOME: folder }), 'kube-apiserver').slice(folder.length);

  it('uses TEST_ASSET_<NAME> first, then KUBEBUILDER_ASSETS, then the cache', () => {
    const built = program(cached());
    const assets = program('assets', 'kube-apiserver');
    const named = program('named');
    const environment = { XDG_CACHE_HOME: folder };
    expect(findTool('kube-apiserver', environment)).toBe(built);
    expect(findTool('kube-apiserver', { ...environment, KUBEBUILDER_ASSETS: dirname(assets) })).toBe(assets);
    expect(
      findTool('kube-apiserver', {
        ...environment,
        KUBEBUILDER_ASSETS: dirname(assets),
        TEST_ASSET_KUBE_APISERVER: named,
      }),
    ).toBe(named);
  });

  it('continues with the next place if a folder lacks the program', () => {
    const built = program(cached());
    expect(findTool('kube-apiserver', { XDG_CACHE_HOME: folder, KUBEBUILDER_ASSETS: join(folder, 'nowhere') })).toBe(
      built,
    );
  });

  it('does not take a server from the PATH, where its version is unknown', () => {
    program('bin', 'etcd');
    expect(findTool('etcd', { XDG_CACHE_HOME: join(folder, 'cache'), PATH: join(folder, 'bin') })).not.toBe(
      join(folder, 'bin', 'etcd'),
    );
  });

  it('finds Debian programs on the PATH', () => {
    const tool = program('bin', 'ipmitool');
    expect(findTool('ipmitool', { PATH: join(folder, 'bin') })).toBe(tool);
  });

  it('ignores a file that is not executable', () => {
    const tool = program('bin', 'ipmitool');
    chmodSync(tool, 0o644);
    expect(findTool('ipmitool', { PATH: join(folder, 'bin') })).not.toBe(tool);
  });
});
