import {
  agentName,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  type Condition,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineBMCSpec,
} from '../../../api/index.ts';
import {
  DEPLOYMENTS,
  EVENTS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  type Deployment,
  type Event,
  type Kind,
  type KubeObject,
  type Secret,
  type Service,
} from '@groundcrew/controller-runtime';
import { standInForAgents, type Agents } from '../../harness/agent-pods.ts';
import { eventually, type Cluster } from '../../harness/index.ts';

/** The kinds of objects that the manager makes for a BMC with an agent of its own. */
export const CHILDREN: readonly Kind<KubeObject>[] = [SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS, SERVICES, DEPLOYMENTS];

/** A namespace with the operations and checks of a user. */
export class Scene {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** Its simulated pods and agents, which end with the test. */
  readonly agents: Agents;

  private constructor(cluster: Cluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.agents = standInForAgents(cluster.client, namespace);
  }

  static async in(cluster: Cluster): Promise<Scene> {
    return new Scene(cluster, await cluster.namespace());
  }

  ref(name: string) {
    return { namespace: this.namespace, name };
  }

  async createVirtualMachine(name = 'web'): Promise<VirtualMachine> {
    return await this.cluster.client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: this.ref(name),
      spec: {
        runStrategy: 'Manual',
        template: {
          spec: {
            domain: {
              memory: { guest: '64Mi' },
              devices: {
                disks: [{ name: 'root', disk: { bus: 'virtio' }, bootOrder: 1 }],
                interfaces: [{ name: 'default', masquerade: {} }],
              },
            },
            networks: [{ name: 'default', pod: {} }],
            volumes: [{ name: 'root', ...{ containerDisk: { image: 'example.invalid/disk' } } }],
          },
        },
      },
    });
  }

  async createSecret(name = 'creds', stringData: Record<string, string> = { username: 'admin', password: 'secret' }) {
    const draft = { apiVersion: 'v1', kind: 'Secret', metadata: this.ref(name), stringData };
    return await this.cluster.client.create(SECRETS, draft);
  }

  /** Creates a BMC `web-bmc` of the VM `web` with the Secret `creds` and changed fields. */
  async createBmc(name = 'web-bmc', spec: Partial<VirtualMachineBMCSpec> = {}): Promise<VirtualMachineBMC> {
    return await this.cluster.client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: this.ref(name),
      spec: { virtualMachineRef: { name: 'web' }, authSecretRef: { name: 'creds' }, ...spec },
    });
  }

  async patchBmc(spec: object, name = 'web-bmc'): Promise<VirtualMachineBMC> {
    return await this.cluster.client.patch(VIRTUAL_MACHINE_BMCS, this.ref(name), 'merge', { spec });
  }

  async deleteBmc(name = 'web-bmc'): Promise<void> {
    await this.cluster.client.delete(VIRTUAL_MACHINE_BMCS, this.ref(name));
  }

  async bmc(name = 'web-bmc'): Promise<VirtualMachineBMC> {
    return await this.cluster.client.get(VIRTUAL_MACHINE_BMCS, this.ref(name));
  }

  async service(vm = 'web'): Promise<Service> {
    return await this.cluster.client.get(SERVICES, this.ref(agentName(vm)));
  }

  async findService(vm = 'web'): Promise<Service | undefined> {
    return await this.cluster.client.find(SERVICES, this.ref(agentName(vm)));
  }

  async deployment(vm = 'web'): Promise<Deployment> {
    return await this.cluster.client.get(DEPLOYMENTS, this.ref(agentName(vm)));
  }

  async secret(name: string): Promise<Secret> {
    return await this.cluster.client.get(SECRETS, this.ref(name));
  }

  async condition(type: string, name = 'web-bmc'): Promise<Condition | undefined> {
    return (await this.bmc(name)).status?.conditions?.find((condition) => condition.type === type);
  }

  /** Waits until a condition has that reason, and returns the condition. */
  async untilCondition(type: string, reason: string, name = 'web-bmc'): Promise<Condition> {
    return await eventually(async () => {
      const condition = await this.condition(type, name);
      if (condition?.reason !== reason)
        throw new Error(`${type} of ${name} is ${JSON.stringify(condition)}, not ${reason}`);
      return condition;
    });
  }

  /** Waits until a condition's message contains the text, and returns the condition. */
  async untilMessage(type: string, part: string, name = 'web-bmc'): Promise<Condition> {
    return await eventually(async () => {
      const condition = await this.condition(type, name);
      if (condition?.message.includes(part) !== true)
        throw new Error(`${type} of ${name} is ${JSON.stringify(condition)}, which does not say: ${part}`);
      return condition;
    });
  }

  async untilPhase(phase: string, name = 'web-bmc'): Promise<VirtualMachineBMC> {
    return await eventually(async () => {
      const bmc = await this.bmc(name);
      if (bmc.status?.phase !== phase) throw new Error(`${name} is not ${phase}: ${JSON.stringify(bmc.status)}`);
      return bmc;
    });
  }

  /** Waits until the Service exists with an address. */
  async untilService(vm = 'web'): Promise<Service & { metadata: { uid: string } }> {
    return await eventually(async () => {
      const { spec, ...service } = await this.service(vm);
      const { uid } = service.metadata;
      if (uid === undefined || (spec?.clusterIP ?? '') === '') throw new Error('the Service has no address');
      return { ...service, spec, metadata: { ...service.metadata, uid } };
    });
  }

  /** Events of a BMC with that reason. */
  async events(reason: string, name = 'web-bmc'): Promise<Event[]> {
    const { items } = await this.cluster.client.list(EVENTS, { namespace: this.namespace });
    return items.filter((event) => event.reason === reason && event.involvedObject.name === name);
  }

  async untilEvent(reason: string, name = 'web-bmc'): Promise<Event> {
    return await eventually(async () => {
      const [event] = await this.events(reason, name);
      if (event === undefined) throw new Error(`there is no Event ${reason} about ${name}`);
      return event;
    });
  }
}
