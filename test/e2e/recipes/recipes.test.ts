import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_INSTANCES } from '../../../api/index.ts';
import { eventually } from '../../harness/eventually.ts';
import { kubectlWith } from '../../harness/kubectl.ts';
import type { ServerProcess } from '../../harness/process.ts';
import { repository } from '../../harness/repository.ts';
import { startSandbox, type Sandbox, type SandboxBmc } from '../../harness/sandbox/index.ts';
import { findTool, needs } from '../../tools/index.ts';
import { startImageServer } from '../clients/client-stage.ts';
import { runProgram } from '../clients/run-program.ts';
import { readRecipe, runRecipe } from './recipe.ts';
import { startRufio } from './rufio.ts';

/** The commands of docs/recipes, each on machines of their own in one sandbox. */

const MINUTE = 60_000;
const MACHINES = ['vm-1', 'vm-2', 'vm-3', 'vm-4', 'vm-5', 'vm-6'] as const;

let sandbox: Sandbox;
let images: Awaited<ReturnType<typeof startImageServer>>;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'groundcrew-recipes-'));
  images = await startImageServer();
  sandbox = await startSandbox({ vms: MACHINES.length });
}, 2 * MINUTE);

afterAll(async () => {
  await sandbox.close();
  images.close();
  rmSync(folder, { recursive: true });
});

/** The machine's name and port in place of those in the document. */
function replacements(machine: (typeof MACHINES)[number]): Record<string, string> {
  return { 'vm-1': machine, 6230: String(bmcOf(machine).ipmi.port) };
}

function bmcOf(machine: string): SandboxBmc {
  const bmc = sandbox.bmcs.find(({ name }) => name === machine);
  if (bmc === undefined) throw new Error(`the sandbox has no ${machine}`);
  return bmc;
}

/** A folder for the recipe, and the sandbox as its cluster. */
function place(name: string): { folder: string; kubeconfig: string } {
  const own = join(folder, name);
  mkdirSync(own);
  return { folder: own, kubeconfig: sandbox.kubeconfig };
}

/** Resolves when the pool's agents send this boot file to the iPXE of a machine that is off. */
async function sendsBootFile(file: string): Promise<void> {
  const { dhcp, relay } = sandbox.pools[0] ?? expect.fail('the sandbox has no pool');
  const options = ['--mac', '02:00:00:00:00:04', '--server', `${dhcp.host}:${dhcp.port}`, '--relay', relay];
  await eventually(async () => {
    const args = [join(repository, 'cli/main.ts'), 'dhcp-client', ...options, '--arch', 'bios', '--ipxe'];
    expect((await runProgram(process.execPath, args)).stdout).toContain(file);
  });
}

/** The device that is first in the boot order of the running machine. */
async function bootsFirst(name: string): Promise<string | undefined> {
  const { spec } = await sandbox.client.get(VIRTUAL_MACHINE_INSTANCES, { namespace: 'default', name });
  const { disks = [], interfaces = [] } = spec.domain.devices;
  return [...disks, ...interfaces].find(({ bootOrder }) => bootOrder === 1)?.name;
}

describe('tinkerbell.md', needs('rufio', 'kubectl', 'ipmitool'), () => {
  let rufio: ServerProcess | undefined;
  const tried = new Set<string>();

  beforeAll(async () => {
    const { folder: home, kubeconfig } = place('rufio');
    rufio = await startRufio(kubectlWith(kubeconfig, home), kubeconfig, home);
  });
  afterAll(async () => {
    await rufio?.dispose();
  });

  it.each([
    ['ipmitool', 'IPMI', ['vm-1', 'vm-5']],
    ['gofish', 'Redfish', ['vm-2', 'vm-6']],
  ] as const)(
    'Rufio powers a machine and boots it from network and image, with %s first',
    // On a loaded machine Rufio 0.6.5 may hear of its Job before it hears of the Job's Task. It makes the Task again, and gives the Job up.
    { timeout: 4 * MINUTE, retry: 1 },
    async (driver, protocol, [first, second]) => {
      const machine = tried.has(first) ? second : first;
      tried.add(machine);
      const recipe = readRecipe('tinkerbell', {
        ...replacements(machine),
        '--timeout=3m': '--timeout=1m',
        '[ipmitool]': `[${driver}]`,
        'http://127.0.0.1:8000/boot.iso': images.image,
      });
      const stdout = await runRecipe(recipe, { ...place(`${driver}-${machine}`), tools: ['kubectl', 'ipmitool'] });
      expect(stdout, rufio?.logTail()).toMatch(/^off$/m);
      expect(stdout).toMatch(new RegExp(`^BootOverrideSet: Boot once from the network.* over ${protocol} from`, 'm'));
      expect(stdout).toMatch(new RegExp(`^PowerOn: .* over ${protocol} from`, 'm'));
      expect(await bootsFirst(machine)).toBe('cd');
      await sendsBootFile('http://192.168.100.5:7171/auto.ipxe');
    },
  );
});

describe('maas.md', needs('kubectl', 'ipmi-power', 'curl'), () => {
  it(
    'FreeIPMI and the requests of MAAS power a machine and boot it from the network',
    { timeout: 2 * MINUTE },
    async () => {
      const recipe = readRecipe('maas', replacements('vm-3'));
      const stdout = await runRecipe(recipe, { ...place('maas'), tools: ['kubectl', 'ipmi-power', 'curl'] });
      expect(stdout.match(/^127\.0\.0\.1: \S+$/gm)).toEqual(
        ['ok', 'on', 'ok', 'off'].map((state) => `127.0.0.1: ${state}`),
      );
      expect(await bootsFirst('vm-3')).toBe('default');
      await sendsBootFile('http://192.168.100.5:5248/ipxe.cfg');
    },
  );
});

describe('ansible.md', needs('kubectl', 'ansible'), () => {
  it('the playbook boots a machine from an image', { timeout: 3 * MINUTE }, async () => {
    const python = findTool('ansible') ?? '';
    const where = place('ansible');
    const recipe = readRecipe('ansible', { ...replacements('vm-4'), 'http://127.0.0.1:8000/boot.iso': images.image });
    const env = {
      ANSIBLE_HOME: join(where.folder, 'ansible'),
      ANSIBLE_PIPELINING: '1',
      ANSIBLE_PYTHON_INTERPRETER: python,
    };
    const stdout = await runRecipe(recipe, { ...where, tools: ['kubectl', 'ansible'], env });
    expect(stdout).toMatch(/^vm-4 +: ok=9 +changed=\d+ +unreachable=0 +failed=0/m);
    expect(await bootsFirst('vm-4')).toBe('cd');
  });
});
