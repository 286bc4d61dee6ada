import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LABELS, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES } from '../../api/index.ts';
import { CONFIG_MAPS, isNotFound, PODS, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { eventually } from '../harness/eventually.ts';
import { freePortRange } from '../harness/free-port.ts';
import { ipmitool, launchSandbox, startSandbox, type Sandbox, type SandboxBmc } from '../harness/sandbox/index.ts';
import { findTool, needs } from '../tools/index.ts';
import { Storm } from './storm.ts';

const run = promisify(execFile);
const VMS = 2;
/** For slow steps on a loaded machine. */
const LONG = { timeout: 60_000, interval: 5 };
const AGENTS = { labelSelector: `${LABELS.component}=bmc-agent` };

let outer: string;
let folder: string;
let port: number;
let sandbox: Sandbox | undefined;

beforeAll(async () => {
  outer = mkdtempSync(join(tmpdir(), 'groundcrew-e2e-data-'));
  port = await freePortRange(VMS);
});
afterEach(async () => {
  await sandbox?.close();
  sandbox = undefined;
});
afterAll(() => {
  rmSync(outer, { recursive: true });
});

/** Starts the sandbox on the folder with the same command line as before. */
async function start(...args: string[]): Promise<Sandbox> {
  await sandbox?.close();
  sandbox = await startSandbox({ vms: VMS, ipmiPort: port, args: ['--data-dir', folder, ...args], timeout: 60_000 });
  return sandbox;
}

/** The output of a sandbox that does not start on that folder. */
async function refusalAt(path: string): Promise<string> {
  const refused = await launchSandbox({ args: ['--data-dir', path] });
  try {
    expect(await refused.process.ended()).toBe(1);
    return refused.output();
  } finally {
    await refused.close();
  }
}

const first = ({ bmcs }: Sandbox): SandboxBmc => bmcs[0] ?? expect.fail('the sandbox has no BMC');

async function isRunning(client: KubeClient, { namespace, virtualMachine }: SandboxBmc): Promise<string | undefined> {
  const instance = await client.find(VIRTUAL_MACHINE_INSTANCES, { namespace, name: virtualMachine });
  return instance?.status?.phase === 'Running' ? instance.metadata.uid : undefined;
}

describe('a sandbox killed during writes', () => {
  beforeAll(() => {
    folder = join(outer, 'storm');
  });

  it(
    'is restored with all acknowledged writes, the machine on, and the same passwords and ports',
    { timeout: 300_000 },
    async () => {
      let up = await start();
      const { bmcs, kubeconfig, client } = up;
      const bmc = first(up);
      const vm = `/namespaces/${bmc.namespace}/virtualmachines/${bmc.virtualMachine}`;
      await client.request({ method: 'PUT', path: `/apis/subresources.kubevirt.io/v1${vm}/start` });
      const instance = await eventually(async () => {
        const uid = await isRunning(up.client, bmc);
        expect(uid).toBeDefined();
        return uid;
      });
      const pods = (await client.list(PODS, AGENTS)).items.map(({ metadata }) => metadata.uid);
      const storm = new Storm(8);

      for (let round = 1; round <= 4; round += 1) {
        const blowing = storm.blow(up.client, bmc.namespace);
        const end = storm.acknowledged + 20 + Math.random() * 130;
        await eventually(() => {
          expect(storm.acknowledged).toBeGreaterThan(end);
        }, LONG);
        await up.process.stop('SIGKILL');
        await blowing;
        const wrote = storm.acknowledged;

        const killed = performance.now();
        up = await start();
        console.log(
          `round ${round}: killed after ${wrote} acknowledged writes, ready again in ${((performance.now() - killed) / 1000).toFixed(1)} s`,
        );
        expect(up.kubeconfig).toBe(kubeconfig);
        expect(up.bmcs).toEqual(bmcs);
        expect(await storm.differences(up.client, bmc.namespace)).toEqual([]);
        expect(await isRunning(up.client, bmc)).toBe(instance);
      }
      const agents = (await up.client.list(PODS, AGENTS)).items;
      expect(agents.map(({ metadata }) => metadata.uid).sort()).toEqual(pods.sort());
      for (const { status } of agents) {
        expect(status?.containerStatuses).toMatchObject([
          { restartCount: 4, ready: true, lastState: { terminated: { exitCode: 255, reason: 'Unknown' } } },
        ]);
      }
    },
  );
});

describe('a BMC of a killed sandbox', needs('ipmitool'), () => {
  beforeAll(() => {
    folder = join(outer, 'bmc');
  });

  it(
    'answers after the restore with its password, at its port, that its machine is on',
    { timeout: 120_000 },
    async () => {
      const bmc = first(await start());
      expect((await ipmitool(bmc, 'chassis bootdev disk options=persistent')).code).toBe(0);
      expect((await ipmitool(bmc, 'chassis power on')).code).toBe(0);
      await sandbox?.process.stop('SIGKILL');
      const { bmcs } = await start();
      expect(bmcs[0]).toEqual(bmc);
      expect((await ipmitool(bmc, 'chassis power status')).stdout).toBe('Chassis Power is on\n');
      expect((await ipmitool(bmc, 'chassis bootparam get 5')).stdout).toContain('Force Boot from default Hard-Drive');
      const other = bmcs[1] ?? expect.fail('the sandbox has no second BMC');
      expect((await ipmitool(other, 'chassis power status')).stdout).toBe('Chassis Power is off\n');
    },
  );
});

describe('a sandbox that is stopped and restarted', () => {
  const manifest = (name: string, value: string): string =>
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}, data: {value: ${value}}}`;
  const configMap = (name: string): Required<ObjectRef> => ({ namespace: 'default', name });

  beforeAll(() => {
    folder = join(outer, 'stopped');
  });

  it(
    'is unchanged: nothing is created again, and changes and deletions of the user persist',
    { timeout: 120_000 },
    async () => {
      const file = join(outer, 'mine.yaml');
      writeFileSync(file, ['kept', 'changed', 'deleted'].map((name) => manifest(name, 'first')).join('\n---\n'));
      let up = await start('-f', file);
      const { bmcs, kubeconfig } = up;
      expect(kubeconfig).toBe(join(folder, 'kubeconfig'));
      const kubectl = findTool('kubectl');
      if (kubectl !== undefined) {
        const args = ['--kubeconfig', kubeconfig, 'create', 'configmap', 'of-kubectl', '--from-literal=value=x'];
        await run(kubectl, args);
      } else
        await up.client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: configMap('of-kubectl') });
      await up.client.patch(CONFIG_MAPS, configMap('changed'), 'merge', { data: { value: 'second' } });
      await up.client.delete(CONFIG_MAPS, configMap('deleted'));
      const gone = up.bmcs[1] ?? expect.fail('the sandbox has no second BMC');
      await up.client.delete(VIRTUAL_MACHINE_BMCS, gone);
      await up.client.delete(VIRTUAL_MACHINES, { namespace: gone.namespace, name: gone.virtualMachine });
      await eventually(async () => {
        expect(await up.client.find(VIRTUAL_MACHINE_BMCS, gone)).toBeUndefined();
      });
      const machine = await up.client.get(VIRTUAL_MACHINES, configMap(first(up).virtualMachine));
      expect(up.output()).toMatch(new RegExp(`This brings it back as it was:\n  .+ sandbox --data-dir ${folder}\n`));
      expect(await up.process.stop('SIGINT')).toBe(0);
      expect(existsSync(kubeconfig)).toBe(true);
      expect(readdirSync(up.folder)).toEqual([]);

      writeFileSync(file, `${readFileSync(file, 'utf8')}\n---\n${manifest('new', 'first')}`);
      up = await start('-f', file);
      expect(up.output()).toContain('Groundcrew sandbox is back: 1 BMC and 1 IP pool in ');
      expect(up.bmcs).toEqual([bmcs[0]]);
      expect(up.kubeconfig).toBe(kubeconfig);
      const value = async (name: string): Promise<string | undefined> =>
        (await up.client.find(CONFIG_MAPS, configMap(name)))?.data?.['value'];
      expect(await Promise.all(['kept', 'changed', 'deleted', 'new', 'of-kubectl'].map(value))).toEqual([
        'first',
        'second',
        undefined,
        'first',
        kubectl === undefined ? undefined : 'x',
      ]);
      const { items } = await up.client.list(VIRTUAL_MACHINES);
      expect(items.map(({ metadata }) => metadata.uid)).toEqual([machine.metadata.uid]);
    },
  );

  it('prints that options which contradict its origin have no effect', { timeout: 60_000 }, async () => {
    const up = await startSandbox({ vms: 5, ipmiPort: port, args: ['--data-dir', folder], timeout: 60_000 });
    sandbox = up;
    expect(up.bmcs).toHaveLength(1);
    expect(up.output()).toContain(
      `--vms 5 has no effect: this sandbox was made with --vms ${VMS}, and is as it was left.\n`,
    );
    expect(up.output()).not.toContain('--ipmi-port');
  });

  it('cannot be started twice at the same time', { timeout: 60_000 }, async () => {
    const up = await start();
    expect(await refusalAt(folder)).toBe(
      `--data-dir: ${folder} is in use by another sandbox (process ${up.process.pid ?? 0}). Stop that one, or choose another folder.\n`,
    );
    expect((await up.client.list(VIRTUAL_MACHINES)).items).toHaveLength(1);
  });

  it('does not start with a damaged journal, names the file and the byte, and changes nothing', async () => {
    const store = join(folder, 'apiserver', 'store');
    const name = readdirSync(store).find((one) => one.startsWith('journal-')) ?? expect.fail('it has no journal');
    const bytes = readFileSync(join(store, name));
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(1000) ^ 1, 1000);
    writeFileSync(join(store, name), damaged);
    expect(await refusalAt(folder)).toMatch(
      new RegExp(`^${join(store, name)} is damaged at byte \\d+: .*; the folder is unchanged\\. .*\\n$`, 'm'),
    );
    expect(readFileSync(join(store, name)).equals(damaged)).toBe(true);
    writeFileSync(join(store, name), bytes);
  });
});

describe('a sandbox with a thousand objects', () => {
  beforeAll(() => {
    folder = join(outer, 'thousand');
  });

  it('is restored in a time that is printed', { timeout: 120_000 }, async () => {
    let up = await start();
    const names = Array.from({ length: 1000 }, (_, index) => `object-${index}`);
    for (let at = 0; at < names.length; at += 20) {
      await Promise.all(
        names.slice(at, at + 20).map((name) =>
          up.client.create(CONFIG_MAPS, {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { namespace: 'default', name },
            data: { text: 'x'.repeat(1000) },
          }),
        ),
      );
    }
    await up.process.stop('SIGKILL');
    const killed = performance.now();
    up = await start();
    console.log(`1,000 objects: ready ${((performance.now() - killed) / 1000).toFixed(1)} s after the start`);
    const { items } = await up.client.list(CONFIG_MAPS, { namespace: 'default' });
    expect(items.filter(({ metadata }) => metadata.name.startsWith('object-'))).toHaveLength(1000);
    await expect(up.client.get(CONFIG_MAPS, { namespace: 'default', name: 'none' })).rejects.toSatisfy(isNotFound);
  });
});

describe('an unusable folder', () => {
  it('is named in the error and not changed', async () => {
    const others = mkdtempSync(join(outer, 'others-'));
    writeFileSync(join(others, 'thesis.txt'), 'precious');
    expect(await refusalAt(others)).toBe(
      `--data-dir: ${others} holds other files, and no sandbox. Choose an empty folder, or a new one.\n`,
    );
    expect(readdirSync(others)).toEqual(['thesis.txt']);
  });
});
