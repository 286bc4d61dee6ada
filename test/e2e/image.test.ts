import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { IP_POOLS } from '../../api/index.ts';
import { NAMESPACES, SERVICE_ACCOUNTS } from '@groundcrew/controller-runtime';
import { clusterAccess } from '@groundcrew/controller-runtime/kubeconfig';
import { version } from '../../cli/version.ts';
import { containedProcess } from '../harness/contained-process.ts';
import { assembleImage, imageEntrypoint, imageUser } from '../harness/container-image.ts';
import { freePorts } from '../harness/free-port.ts';
import type { ServerProcess } from '../harness/process.ts';
import { startSandbox, type Sandbox } from '../harness/sandbox/index.ts';
import { podEnvironment } from '../harness/service-accounts.ts';
import { lackingTools, needsRoot, skippedFor } from '../tools/index.ts';

/** Bytes of /app; half of them are the client for kubeconfigs. More is a part that does not belong into the image. */
const MOST = 12_000_000;

const lacks = [...lackingTools(['ldd', 'unshare']), ...(needsRoot().meta?.lacks ?? [])];

describe('the image', skippedFor(lacks), () => {
  let outer: string;
  let root: string;
  let sandbox: Sandbox;
  let env: Record<string, string>;
  let mounts: { serviceAccount: string; snapshots: string };
  const app = () => join(root, 'app');

  beforeAll(async () => {
    outer = mkdtempSync(join(tmpdir(), 'groundcrew-image-'));
    root = join(outer, 'root');
    mounts = { serviceAccount: join(outer, 'account'), snapshots: join(outer, 'snapshots') };
    [sandbox] = await Promise.all([startSandbox({ timeout: 60_000 }), assembleImage(root)]);
    const account = { namespace: 'image', name: 'image' };
    await sandbox.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'image' } });
    await sandbox.client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
    const { server, ca = '' } = await clusterAccess(sandbox.kubeconfig);
    const pod = await podEnvironment({ client: sandbox.client, server, ca }, account, mounts.serviceAccount);
    // The files are where kubelet mounts them.
    env = {
      HOSTNAME: 'image-0',
      KUBERNETES_SERVICE_HOST: pod.KUBERNETES_SERVICE_HOST,
      KUBERNETES_SERVICE_PORT: pod.KUBERNETES_SERVICE_PORT,
    };
    mkdirSync(mounts.snapshots);
    const [user = 0, group = 0] = imageUser().split(':').map(Number);
    chownSync(mounts.snapshots, user, group);
  }, 120_000);
  afterAll(async () => {
    await sandbox.close();
    rmSync(outer, { recursive: true, force: true });
  });

  function contained(name: string, args: readonly string[], command?: readonly string[]): ServerProcess {
    const log = join(outer, `${name}.log`);
    const child = containedProcess({ root, args, env, mounts, log, ...(command === undefined ? {} : { command }) });
    onTestFinished(() => child.dispose());
    child.start();
    return child;
  }

  it('has one command for all architectures, and no part of the sandbox', () => {
    const files = filesIn(app());
    const others = files.filter(
      (file) => !/^dist\/((groundcrew|chunks\/[^/]+)\.js|web\/(bmc|fleet)\/[^/]+)$/.test(file),
    );
    expect(others.sort()).toEqual(['LICENSE', 'dist/licenses.txt', 'package.json', 'sbom.spdx.json']);
    const size = sizeOf(app());
    console.log(`image: ${megabytes(size)} in /app, ${megabytes(sizeOf(root))} with Node and its libraries`);
    expect(size).toBeLessThan(MOST);
  });

  it('lists the packages of its bundle, with version and licence', () => {
    const sbom = JSON.parse(readFileSync(join(app(), 'sbom.spdx.json'), 'utf8')) as {
      spdxVersion: string;
      packages: { SPDXID: string; name: string; versionInfo: string; licenseDeclared: string }[];
    };
    expect(sbom.spdxVersion).toBe('SPDX-2.3');
    expect(sbom.packages[0]).toMatchObject({ name: 'groundcrew', versionInfo: version() });
    const names = sbom.packages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['commander', 'ipaddr.js', 'pino', 'undici', 'ws']));
    // These belong to the embedded API server and to the build.
    expect(names.filter((name) => ['@marcbachmann/cel-js', 'esbuild', 'typescript'].includes(name))).toEqual([]);
    expect(sbom.packages.filter(({ licenseDeclared }) => licenseDeclared === 'NOASSERTION')).toEqual([]);
    expect(new Set(sbom.packages.map(({ SPDXID }) => SPDXID)).size).toBe(names.length);
    const licenses = readFileSync(join(app(), 'dist/licenses.txt'), 'utf8');
    for (const { name, versionInfo } of sbom.packages.slice(1))
      expect(licenses).toContain(`\n${name} ${versionInfo} (`);
  });

  it('prints its version and its commands', async () => {
    const child = contained('version', ['--version']);
    expect(await child.ended()).toBe(0);
    expect(child.logTail()).toBe(`${version()}\n`);
    const help = contained('help', ['--help']);
    expect(await help.ended()).toBe(0);
    expect(help.logTail()).toMatch(/^ {2}manager .*^ {2}agent /ms);
  });

  it('runs with a root that is read-only', async () => {
    const [node = ''] = imageEntrypoint();
    const script = `for (const file of ['/app/dist/x', '/x', '/tmp/x', '/var/lib/groundcrew/x']) {
      try { require('node:fs').writeFileSync(file, ''); console.log(file, 'written'); } catch ({ code }) { console.log(file, code); }
    }`;
    const child = contained('writes', [], [node, '--eval', script]);
    expect(await child.ended()).toBe(0);
    expect(child.logTail()).toMatch(/^\/app\/dist\/x EROFS\n\/x EROFS\n\/tmp\/x (EROFS|ENOENT)\n.*x written\n$/);
  });

  /** Runs a command of the image until /readyz answers. Returns the process. */
  async function ready(name: string, args: readonly string[], port: number): Promise<ServerProcess> {
    const child = contained(name, args);
    await child.waitUntil(async () => {
      const { status } = await fetch(`http://127.0.0.1:${port}/readyz`);
      if (status !== 200) throw new Error(`/readyz: ${status}`);
    }, 30_000);
    expect(privileges(child.pid ?? 0)).toEqual({
      ids: imageUser(),
      groups: '',
      capabilities: 0n,
      noNewPrivileges: '1',
    });
    return child;
  }

  it('runs the manager', async () => {
    const [health = 0] = await freePorts(1);
    const child = await ready(
      'manager',
      [
        ...['manager', '--namespace', 'image', '--watch-namespace', 'image', '--leader-elect'],
        ...['--agent-image', 'groundcrew', '--health-address', `127.0.0.1:${health}`, '--metrics-address', ''],
      ],
      health,
    );
    await expect.poll(() => child.logTail()).toContain('"msg":"leading"');
    expect(await child.stop()).toBe(0);
  });

  it('runs the agent of a BMC, which serves Redfish', async () => {
    const [bmc] = sandbox.bmcs;
    const [health = 0, ipmi = 0, redfish = 0, http = 0] = await freePorts(4);
    const child = await ready(
      'bmc',
      [
        ...['agent', 'bmc', '--namespace', bmc?.namespace ?? '', '--bmc', bmc?.name ?? '', '--pod-name', 'image-0'],
        ...['--bind-address', '127.0.0.1', '--health-port', String(health), '--ipmi-port', String(ipmi)],
        ...['--redfish-port', String(redfish), '--redfish-http-port', String(http), '--default-redfish-http', 'true'],
      ],
      health,
    );
    const answer = await fetch(`http://127.0.0.1:${http}/redfish/v1/`);
    expect(await answer.json()).toMatchObject({ RedfishVersion: expect.any(String) as string });
    expect(await child.stop()).toBe(0);
  });

  it('runs a DHCP agent, which writes its snapshot to the only writable folder', async () => {
    const { items } = await sandbox.client.list(IP_POOLS);
    const { metadata, spec } = items[0] ?? expect.fail('the sandbox has no pool');
    const [health = 0, dhcp = 0] = await freePorts(2);
    const child = await ready(
      'dhcp',
      [
        ...['agent', 'dhcp', '--network', spec.networkName, '--server-index', '0', '--pod-name', 'image-0'],
        ...['--pool-namespace', metadata.namespace ?? '', '--bind-address', '127.0.0.1'],
        ...['--health-port', String(health), '--loopback-port', String(dhcp), '--snapshot-dir', '/var/lib/groundcrew'],
      ],
      health,
    );
    expect(await child.stop()).toBe(0);
    expect(readdirSync(mounts.snapshots).filter((file) => file !== 'x')).not.toEqual([]);
  });
});

/** What the kernel permits a process; ids as `uid:gid` if real, effective and saved ones are the same. */
function privileges(pid: number): object {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): string => new RegExp(`^${name}:\\t(.*)$`, 'm').exec(status)?.[1]?.trim() ?? '';
  const ids = ['Uid', 'Gid'].map((name) => [...new Set(field(name).split('\t'))].join('/'));
  const capabilities = ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'].map((name) => BigInt(`0x${field(name)}`));
  return {
    ids: ids.join(':'),
    groups: field('Groups'),
    capabilities: capabilities.reduce((all, each) => all | each, 0n),
    noNewPrivileges: field('NoNewPrivs'),
  };
}

/** Paths of the files below a folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function sizeOf(folder: string): number {
  return filesIn(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
