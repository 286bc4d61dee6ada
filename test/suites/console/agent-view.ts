import { randomBytes } from 'node:crypto';
import {
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { type KubeClient, type ObjectRef, systemClock, type TransportOptions } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { consoleSockets } from '../../../agent/bmc/kubevirt/console/console-socket.ts';
import type { KubeVirtConsoleOptions } from '../../../agent/bmc/kubevirt/console/kubevirt-console.ts';
import { NamedWatches, type ObjectWatch } from '../../../agent/bmc/objects/named-watches.ts';
import type { Cluster } from '../../harness/index.ts';
import { serviceAccountToken } from '../../harness/service-accounts.ts';

/** A VM as an agent sees it, with the permissions of a service account. */
export class AgentView {
  readonly client: KubeClient;
  readonly #vm: ObjectWatch<VirtualMachine>;
  readonly #vmi: ObjectWatch<VirtualMachineInstance>;
  readonly #ref: Required<ObjectRef>;
  readonly #access: TransportOptions;
  /** Called after every change of the VM. */
  onChange: () => void = () => undefined;

  private constructor(client: KubeClient, access: TransportOptions, ref: Required<ObjectRef>) {
    this.client = client;
    this.#access = access;
    this.#ref = ref;
    const { namespace, name } = ref;
    const watches = new NamedWatches({ client, namespace, clock: systemClock, logger: silentLogger });
    const changed = (): void => {
      this.onChange();
    };
    this.#vm = watches.watch(VIRTUAL_MACHINES, name, changed);
    this.#vmi = watches.watch(VIRTUAL_MACHINE_INSTANCES, name, changed);
  }

  static async of(cluster: Cluster, account: Required<ObjectRef>, vm: Required<ObjectRef>): Promise<AgentView> {
    const { server, ca } = cluster;
    const token = await serviceAccountToken(cluster.client, account);
    return new AgentView(await cluster.clientFor(account), { server, ca, token }, vm);
  }

  /** Options of the agent's consoles. */
  get options(): KubeVirtConsoleOptions {
    return {
      vm: this.#ref,
      open: consoleSockets(this.#access),
      cached: () =>
        this.#vm.hasSettled && this.#vmi.hasSettled ? { vm: this.#vm.object, vmi: this.#vmi.object } : undefined,
      clock: systemClock,
      random: randomBytes,
    };
  }

  stop(): void {
    this.#vm.stop();
    this.#vmi.stop();
  }
}
