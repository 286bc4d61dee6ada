import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PODS } from '@groundcrew/controller-runtime';
import { VIRTUAL_MACHINE_BMCS } from '../../api/index.ts';
import { eventually } from '../harness/eventually.ts';
import { repository } from '../harness/repository.ts';
import {
  descendantsOf,
  isAlive,
  launchSandbox,
  RedfishClient,
  startSandbox,
  type Sandbox,
} from '../harness/sandbox/index.ts';
import { findTool, needs } from '../tools/index.ts';

const run = promisify(execFile);

/** PATH with the tests' kubectl and ipmitool. */
const path = [...(['kubectl', 'ipmitool'] as const).map((name) => dirname(findTool(name) ?? '')), process.env['PATH']]
  .filter(Boolean)
  .join(delimiter);

describe('a running sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    // npm has its own compile cache in TMPDIR, which would be counted as the sandbox's.
    const env = { NODE_DISABLE_COMPILE_CACHE: '1' };
    sandbox = await startSandbox({ vms: 2, command: ['npm', 'start', '--'], env });
  });
  afterAll(async () => {
    await sandbox.close();
  });

  it('writes the endpoints of each BMC to the ready file', () => {
    expect(sandbox.bmcs).toHaveLength(2);
    for (const bmc of sandbox.bmcs) {
      expect(bmc).toMatchObject({
        ipmi: { host: '127.0.0.1', port: expect.any(Number) as number },
        redfish: `https://127.0.0.1:${bmc.ipmi.port}`,
        username: expect.stringMatching(/^.{1,16}$/) as string,
        password: expect.stringMatching(/^.{8,20}$/) as string,
      });
    }
    expect(new Set(sandbox.bmcs.map(({ ipmi }) => ipmi.port)).size).toBe(2);
    expect(new Set(sandbox.bmcs.map(({ password }) => password)).size).toBe(2);
  });

  it('answers at each endpoint', async () => {
    for (const bmc of sandbox.bmcs) {
      expect(await new RedfishClient(bmc).get('/redfish/v1/Systems/1')).toMatchObject({ Id: '1', PowerState: 'Off' });
    }
  });

  it('has agents with metrics, which tell what clients did and not who they are', async () => {
    const [bmc = expect.fail('there is no BMC')] = sandbox.bmcs;
    await new RedfishClient(bmc).get('/redfish/v1/Systems/1');
    const { status } = await sandbox.client.get(VIRTUAL_MACHINE_BMCS, bmc);
    const pod = await sandbox.client.get(PODS, { namespace: bmc.namespace, name: status?.agent?.name ?? '' });
    // fetch refuses this port, as browsers do.
    const [response] = (await once(get(`http://${pod.status?.podIP}:10080/metrics`), 'response')) as [IncomingMessage];
    const metrics = await text(response);
    for (const series of [
      'groundcrew_bmc_requests_total{protocol="redfish",command="GET ComputerSystem",code="200"}',
      'groundcrew_bmc_logins_total{protocol="redfish"}',
      'groundcrew_bmc_certificate_expiration_timestamp_seconds',
      'groundcrew_bmc_kubevirt_calls_total{call="get",code="200"}',
      'process_resident_memory_bytes',
    ]) {
      const value = metrics.split('\n').find((line) => line.startsWith(`${series} `));
      expect(Number(value?.split(' ').at(-1)), `${series}\n${metrics}`).toBeGreaterThan(0);
    }
    for (const secret of [bmc.username, bmc.password]) expect(metrics).not.toContain(secret);
  });

  it('begins its screen with a link that opens the page of the cluster once, and prints another', async () => {
    const screen = sandbox.output().slice(sandbox.output().indexOf('http://'));
    expect(screen.split('\n')[0]).toBe(sandbox.web);
    expect(screen.indexOf('Groundcrew sandbox')).toBeGreaterThan(0);
    const { origin, hash } = new URL(sandbox.web);
    const open = async (): Promise<Response> =>
      await fetch(`${origin}/session`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify({ key: hash.replace('#key=', '') }),
      });
    expect(await (await fetch(origin)).text()).toContain('<!doctype html>');
    const cookie = (await open()).headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await open()).status).toBe(403);
    const shown = await fetch(`${origin}/api/status`, { headers: { cookie } });
    const { bmcs } = (await shown.json()) as { bmcs: { redfish: string }[] };
    expect(bmcs.map(({ redfish }) => redfish)).toEqual(sandbox.bmcs.map(({ redfish }) => redfish));
    await eventually(() => {
      expect(sandbox.output()).toMatch(/^For another browser:\nhttp:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}$/m);
    });
  });

  it('shows virtual machines, endpoints and credentials', () => {
    for (const { virtualMachine, ipmi, username, password } of sandbox.bmcs) {
      const line =
        sandbox
          .output()
          .split('\n')
          .find((text) => text.includes(`${ipmi.host}:${ipmi.port}`)) ?? '';
      for (const part of [virtualMachine, username, password]) expect(line).toContain(part);
    }
  });

  it('prints commands that work unchanged', needs('kubectl', 'ipmitool', 'curl'), async () => {
    const lines = sandbox
      .output()
      .replaceAll(/ \\\n +/g, ' ')
      .split('\n')
      .map((line) => line.trim());
    // Commands that open a console are interactive; sol.test.ts covers them.
    const commands = lines.filter((line) => /^(ipmitool|kubectl|curl|npm) (?!.*(sol activate|console))/.test(line));
    const settings = lines.filter((line) => line.startsWith('export KUBECONFIG='));
    expect(settings).toHaveLength(1);
    for (const program of ['ipmitool ', 'kubectl ', 'curl ', 'npm run -s groundcrew -- dhcp-client ']) {
      expect(commands.some((line) => line.startsWith(program))).toBe(true);
    }
    for (const command of commands) {
      const { stdout } = await run('sh', ['-c', [...settings, command].join('\n')], {
        cwd: repository,
        env: { ...process.env, PATH: path },
      });
      expect(stdout, command).not.toBe('');
    }
  });

  it('is found by status without a kubeconfig', async () => {
    const env = { PATH: path, HOME: sandbox.folder, TMPDIR: sandbox.folder };
    // The exit code is 0: nothing is wrong.
    const status = async (...args: string[]): Promise<string> =>
      (await run(process.execPath, [join(repository, 'cli/main.ts'), 'status', ...args], { env })).stdout;
    const screen = await status();
    expect(screen).toMatch(/^default +vm-1 /m);
    expect(screen).toContain('All is as it should be.');
    expect(screen.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(await status('default/vm-1')).toMatch(/^Agent +vm-1-virtbmc-.+: Ready, /m);
    expect(JSON.parse(await status('-o', 'json'))).toMatchObject({ healthy: true, managers: [{ webhook: 'answers' }] });
  });

  it('gives a support bundle with logs of agents, and refuses to write over a file', async () => {
    const env = { PATH: path, HOME: sandbox.folder, TMPDIR: sandbox.folder };
    const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bundle-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const file = join(folder, 'bundle.tar.gz');
    const args = [join(repository, 'cli/main.ts'), 'support-bundle', '-o', file];
    expect((await run(process.execPath, args, { env })).stdout).toMatch(/^Wrote .+bundle\.tar\.gz: \d+ files\./);
    const files = new Map<string, string>();
    const archive = extract();
    archive.end(gunzipSync(readFileSync(file)));
    for await (const entry of archive) {
      files.set(entry.header.name, (await buffer(entry)).toString('utf8'));
    }
    const [, log] = [...files].find(([name]) => /\/logs\/default\/vm-1-virtbmc-[^/]+\/[^/]+\.log$/.test(name)) ?? [];
    expect(log).toContain('"object":"default/vm-1');
    const measured = [...files].filter(([name]) => name.includes('/metrics/'));
    expect(measured).toHaveLength(3);
    for (const [, text] of measured) expect(text).toContain('groundcrew_build_info{component=');
    await expect(run(process.execPath, args, { env })).rejects.toThrow('EEXIST');
  });

  it('fits into 80 columns', () => {
    const screen = sandbox.output().slice(sandbox.output().indexOf('Groundcrew sandbox'));
    // Paths and ports of a test sandbox are longer than usual.
    const long = screen.split('\n').filter((line) => line.length > 80 && !/^ +\S+( \\)?$/.test(line));
    expect(long).toEqual([]);
  });

  it('leaves nothing behind after Ctrl-C', async () => {
    const below = descendantsOf(sandbox.process.pid ?? 0);
    expect(below.filter(({ command }) => command.includes('agent bmc'))).toHaveLength(2);
    expect(existsSync(sandbox.kubeconfig)).toBe(true);
    // The terminal sends it to every process of the group; npm forwards it.
    const asked = performance.now();
    for (const { pid } of below) process.kill(pid, 'SIGINT');
    await sandbox.process.stop('SIGINT');
    // Much shorter than the grace period of a Pod.
    expect((performance.now() - asked) / 1000).toBeLessThan(15);

    await eventually(() => {
      expect(below.filter(isAlive)).toEqual([]);
    });
    expect(readdirSync(sandbox.folder)).toEqual([]);
    expect(existsSync(sandbox.readyFile)).toBe(false);
    expect(existsSync(sandbox.kubeconfig)).toBe(false);
  });
});

describe('a sandbox that gets a signal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends cleanly on %s', async (signal) => {
    const sandbox = await startSandbox();
    const below = descendantsOf(sandbox.process.pid ?? 0);
    expect(await sandbox.process.stop(signal)).toBe(0);
    expect(below.filter(isAlive)).toEqual([]);
    expect(readdirSync(sandbox.folder)).toEqual([]);
    await sandbox.close();
  });
});

describe('a sandbox started by npm in the background of a script', () => {
  it('ends when the script kills the process that it started', async () => {
    const env = { NODE_DISABLE_COMPILE_CACHE: '1' };
    const sandbox = await startSandbox({ command: ['npm', 'start', '--'], env });
    const below = descendantsOf(sandbox.process.pid ?? 0);
    await sandbox.process.stop('SIGTERM');
    await eventually(() => {
      expect(below.filter(isAlive)).toEqual([]);
    });
    expect(readdirSync(sandbox.folder)).toEqual([]);
    await sandbox.close();
  });
});

describe('a killed sandbox', () => {
  it('ends with its agents', async () => {
    const sandbox = await startSandbox();
    const below = descendantsOf(sandbox.process.pid ?? 0);
    expect(below.map(({ command }) => command).join('\n')).toContain('agent bmc');
    await sandbox.process.stop('SIGKILL');
    await eventually(() => {
      expect(below.filter(isAlive)).toEqual([]);
    });
    await sandbox.close();
  });
});

describe('a sandbox that cannot start', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-sandbox-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function fileOf(name: string, content: string): string {
    const file = join(folder, name);
    writeFileSync(file, content);
    return file;
  }

  /** The output of a sandbox that exits with 1 and leaves nothing behind. */
  async function refusal(options: Parameters<typeof launchSandbox>[0]): Promise<string> {
    const sandbox = await launchSandbox(options);
    try {
      expect(await sandbox.process.ended()).toBe(1);
      expect(existsSync(sandbox.readyFile)).toBe(false);
      expect(readdirSync(sandbox.folder)).toEqual([]);
      return sandbox.output();
    } finally {
      await sandbox.close();
    }
  }

  it('names a port in use and the option that selects another', async () => {
    const taken = createSocket('udp4');
    taken.bind(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address();
    try {
      expect(await refusal({ ipmiPort: port })).toBe(
        `UDP port 127.0.0.1:${port} is in use by another program. Choose another with --ipmi-port, or stop that program.\n`,
      );
    } finally {
      taken.close();
    }
  });

  it('neither overwrites nor removes an existing kubeconfig', async () => {
    const file = fileOf('config', 'precious');
    expect(await refusal({ args: [`--kubeconfig=${file}`] })).toBe(
      `--kubeconfig: ${file} exists. Choose another file, or remove it first.\n`,
    );
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  it('shows the server’s error for a manifest that the schema rejects, as kubectl does', async () => {
    const manifest = [
      'apiVersion: bmc.kubevirt.io/v1beta1',
      'kind: VirtualMachineBMC',
      'metadata: { name: bad }',
      'spec: { virtualMachineRef: { name: vm-1 }, service: { type: Carrier } }',
    ];
    const output = await refusal({ args: ['-f', fileOf('bad.yaml', manifest.join('\n'))] });
    expect(output).toContain('The VirtualMachineBMC "bad" is invalid: ');
    expect(output).toContain(
      'spec.service.type: Unsupported value: "Carrier": supported values: "ClusterIP", "NodePort", "LoadBalancer"',
    );
  });

  it('shows the manager’s error for a pool that the schema accepts', async () => {
    const manifest = [
      'apiVersion: network.harvesterhci.io/v1alpha1',
      'kind: IPPool',
      'metadata: { name: odd }',
      'spec:',
      '  networkName: lan',
      '  ipv4Config: { cidr: 10.0.0.0/24, serverIP: 10.0.0.2, pool: { start: 10.0.1.10, end: 10.0.1.20 } }',
    ];
    expect(await refusal({ vms: 0, args: ['-f', fileOf('pool.yaml', manifest.join('\n'))] })).toContain(
      'The IPPool "odd" is invalid: \n' +
        '* spec.ipv4Config.pool.start: Invalid value: "10.0.1.10": is not in 10.0.0.0/24\n' +
        '* spec.ipv4Config.pool.end: Invalid value: "10.0.1.20": is not in 10.0.0.0/24\n',
    );
  });
});

describe('groundcrew sandbox --help', () => {
  it('shows the options', async () => {
    const { stdout } = await run(process.execPath, [join(repository, 'cli/main.ts'), 'sandbox', '--help']);
    const options = 'vms ipmi-port filename log-level log-format data-dir kubeconfig boot-time ready-file'.split(' ');
    for (const option of ['-f', ...options.map((name) => `--${name}`)]) {
      expect(stdout).toContain(option);
    }
  });
});
