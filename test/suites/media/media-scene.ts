import { afterAll, expect } from 'vitest';
import { VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES, type MediaStatus, type VirtualMachine } from '../../../api/index.ts';
import { SECRETS, type ObjectRef } from '@groundcrew/controller-runtime';
import type { MediaDrive, MediaImage } from '../../../protocols/machine/index.ts';
import { eventually, type Cluster } from '../../harness/index.ts';
import { VirtualMachines } from '../../harness/scenes/virtual-machines.ts';
import { TestAgent, type TestAgentOptions } from '../power/test-agent.ts';

export { COLLECTED } from '../../harness/index.ts';

export const requester = { user: 'admin', address: '192.0.2.1', protocol: 'Redfish' } as const;

export interface MachineParts {
  runStrategy?: 'Always' | 'Manual';
  /** Disks besides the root disk. */
  disks?: object[];
  volumes?: object[];
  /** `spec.redfish.virtualMedia` */
  virtualMedia?: object;
}

/** Virtual machines of one namespace with their BMCs and agents; all are deleted at the end of the test file. */
export class MediaScene {
  readonly world: Cluster;
  readonly namespace: string;
  readonly vms: VirtualMachines;
  readonly #agents: TestAgent[] = [];

  constructor(world: Cluster, namespace: string) {
    this.world = world;
    this.namespace = namespace;
    this.vms = new VirtualMachines(world, namespace);
    afterAll(async () => {
      for (const agent of this.#agents) await agent.close();
    });
  }

  /** Creates a machine and its BMC `<name>-bmc`. */
  async machine(name: string, { runStrategy = 'Manual', virtualMedia, ...parts }: MachineParts = {}): Promise<void> {
    const { disks = [], volumes = [] } = parts;
    const template = { disks, ...(volumes.length === 0 ? {} : { spec: { volumes } }) };
    expect(await this.vms.create(name, { runStrategy }, template)).toBe('201');
    if (runStrategy === 'Always') await this.vms.untilRunning(name);
    await this.world.client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: this.namespace, name: `${name}-creds` },
      stringData: { username: 'admin', password: 'secret' },
    });
    await this.world.client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: this.bmc(name),
      spec: {
        virtualMachineRef: { name },
        authSecretRef: { name: `${name}-creds` },
        ...(virtualMedia === undefined ? {} : { redfish: { virtualMedia } }),
      },
    });
  }

  bmc(name: string): Required<ObjectRef> {
    return { namespace: this.namespace, name: `${name}-bmc` };
  }

  /** @param options by default images may come from this machine */
  async agent(name: string, options: Partial<TestAgentOptions> = {}): Promise<TestAgent> {
    const agent = await TestAgent.start(this.world, { bmc: this.bmc(name), allowsLoopback: true, ...options });
    this.#agents.push(agent);
    return agent;
  }

  async vm(name: string): Promise<VirtualMachine> {
    return await this.world.client.get(VIRTUAL_MACHINES, { namespace: this.namespace, name });
  }

  /** The entry of the drive in the status. */
  async entry(name: string): Promise<MediaStatus | undefined> {
    const { status } = await this.world.client.get(VIRTUAL_MACHINE_BMCS, this.bmc(name));
    return status?.virtualMedia?.[0];
  }

  async untilPhase(name: string, phase: MediaStatus['phase']): Promise<MediaStatus> {
    return await eventually(
      async () => {
        const entry = await this.entry(name);
        if (entry === undefined || entry.phase !== phase) throw new Error(`the drive is ${JSON.stringify(entry)}`);
        return entry;
      },
      { timeout: 20_000 },
    );
  }
}

export function anImage(image: string, parts: Partial<MediaImage> = {}): MediaImage {
  return { image, isWriteProtected: true, isInserted: true, ...parts };
}

export function driveOf(agent: TestAgent): MediaDrive {
  const [drive] = agent.machine.media.drives();
  if (drive === undefined) throw new Error('it has no drive');
  return drive;
}
