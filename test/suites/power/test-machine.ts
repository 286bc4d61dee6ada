import {
  bootOrdersOf,
  hasEnded,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type BootOrders,
  type RunStrategy,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { SECRETS, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { eventually, type Cluster } from '../../harness/index.ts';

/** Groundcrew reads only the name of a volume; KubeVirt requires a source. */
const VOLUMES: { name: string; containerDisk: object }[] = [
  { name: 'root', containerDisk: { image: 'example.invalid/disk' } },
  { name: 'cd', containerDisk: { image: 'example.invalid/cd' } },
];

const TEMPLATE = {
  domain: {
    memory: { guest: '64Mi' },
    devices: {
      disks: [
        { name: 'root', bootOrder: 1, disk: { bus: 'virtio' } },
        { name: 'cd', cdrom: { bus: 'sata' } },
      ],
      interfaces: [{ name: 'default', masquerade: {}, macAddress: '02:00:00:00:00:01' }],
    },
  },
  networks: [{ name: 'default', pod: {} }],
  volumes: VOLUMES,
};

/** virt-controller waits 10 s before it restarts a VM after a failed start. */
const PATIENCE = { timeout: 30_000 };

/** A VM with a disk, a CD-ROM drive and a network interface by default, its BMC `<vm>-bmc` and its credentials. */
export class TestMachine {
  readonly ref: Required<ObjectRef>;
  readonly bmc: Required<ObjectRef>;
  readonly #client: KubeClient;

  private constructor(client: KubeClient, namespace: string, name: string) {
    this.#client = client;
    this.ref = { namespace, name };
    this.bmc = { namespace, name: `${name}-bmc` };
  }

  static async create(
    { client }: Pick<Cluster, 'client'>,
    namespace: string,
    name: string,
    runStrategy: RunStrategy,
    template?: object,
  ): Promise<TestMachine> {
    const machine = new TestMachine(client, namespace, name);
    await machine.createVm(runStrategy, template);
    await client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: `${name}-creds` },
      stringData: { username: 'admin', password: 'secret' },
    });
    await client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: machine.bmc,
      spec: { virtualMachineRef: { name }, authSecretRef: { name: `${name}-creds` } },
    });
    return machine;
  }

  /** @param template `spec.template.spec` */
  async createVm(runStrategy: RunStrategy, template: object = TEMPLATE): Promise<void> {
    await this.#client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: this.ref,
      spec: { runStrategy, template: { spec: template } as VirtualMachine['spec']['template'] }, // KubeVirt validates it
    });
  }

  async vm(): Promise<VirtualMachine> {
    return await this.#client.get(VIRTUAL_MACHINES, this.ref);
  }

  async vmi(): Promise<VirtualMachineInstance | undefined> {
    return await this.#client.find(VIRTUAL_MACHINE_INSTANCES, this.ref);
  }

  async bmcObject(): Promise<VirtualMachineBMC> {
    return await this.#client.get(VIRTUAL_MACHINE_BMCS, this.bmc);
  }

  /** Resolves with the VMI when the guest is running, in another instance than `than` if given. */
  async running(than?: VirtualMachineInstance): Promise<VirtualMachineInstance> {
    return await eventually(async () => {
      const vmi = await this.vmi();
      const fresh = vmi !== undefined && vmi.metadata.uid !== than?.metadata.uid;
      if (!fresh || vmi.status?.phase !== 'Running' || vmi.metadata.deletionTimestamp !== undefined) {
        throw new Error(`no guest runs: VMI ${vmi?.metadata.uid ?? 'none'} is ${vmi?.status?.phase ?? 'gone'}`);
      }
      return vmi;
    }, PATIENCE);
  }

  /** Resolves when no guest is running and KubeVirt has completed all requests. */
  async off(): Promise<void> {
    await eventually(async () => {
      const [vm, vmi] = await Promise.all([this.vm(), this.vmi()]);
      if (vmi !== undefined && !hasEnded(vmi)) throw new Error(`the VMI is ${vmi.status?.phase ?? 'new'}`);
      if ((vm.status?.stateChangeRequests ?? []).length > 0) throw new Error('requests are queued');
    }, PATIENCE);
  }

  async orders(): Promise<BootOrders> {
    return bootOrdersOf(await this.vm());
  }
}

/** Boot orders at the creation of a VMI. */
export function ordersOf(vmi: VirtualMachineInstance, vm: VirtualMachine): BootOrders {
  return bootOrdersOf({ ...vm, spec: { ...vm.spec, template: { spec: vmi.spec } } });
}
