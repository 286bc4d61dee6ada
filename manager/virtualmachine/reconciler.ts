import {
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import {
  ApiError,
  isLostRace,
  isNotFound,
  keyOf,
  type Draft,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { isRefusal } from '../refusal.ts';
import { BY_VIRTUAL_MACHINE, type NetworkControllerOptions } from '../networks/index.ts';
import { ClusterIdentity } from './cluster-identity.ts';
import type { Assignment } from './mac-assignment.ts';
import { multusNetworks, type Inputs } from './interfaces.ts';
import { planOf } from './plan.ts';

export interface VirtualMachineReconcilerOptions extends NetworkControllerOptions {
  /** Assign MAC addresses to the interfaces of stopped VMs that have none. */
  assignMACs: boolean;
}

/** Milliseconds for the cache to receive the change that made a patch fail. */
const CATCH_UP = 200;

/** Milliseconds until a rejected write is tried again. */
const LOOK_AGAIN = 15_000;

/** Keeps a config for each VM with an interface on a pool's network. */
export class VirtualMachineReconciler {
  readonly #options: VirtualMachineReconcilerOptions;
  readonly #identity: ClusterIdentity;

  constructor(options: VirtualMachineReconcilerOptions) {
    this.#options = options;
    this.#identity = new ClusterIdentity(options.client);
  }

  async reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const inputs = await this.#loadInputs(ref);
    if (inputs === undefined) return undefined;
    const { events } = this.#options;
    const { vm } = inputs;
    const plan = planOf(inputs);
    for (const complaint of plan.complaints) events.event(vm, 'Warning', 'InvalidStaticAddress', complaint);
    for (const config of plan.left) await this.#removeLeft(config, vm);
    for (const config of plan.remove) await this.#delete(config);
    const isRefused = plan.config !== undefined && !(await this.#apply(vm, plan.config));
    const result = plan.assign === undefined ? undefined : await this.#assign(vm, plan.assign);
    return isRefused ? { requeueAfter: LOOK_AGAIN } : result;
  }

  async #loadInputs(ref: ObjectRef): Promise<Inputs | undefined> {
    const { caches, assignMACs } = this.#options;
    const vm = caches.virtualMachines.get(ref);
    // The objects of a deleted VM are garbage-collected by owner.
    if (vm === undefined || vm.metadata.deletionTimestamp !== undefined) return undefined;
    const hasPool = (network: string): boolean =>
      caches.poolsOn(network).some(({ metadata }) => metadata.deletionTimestamp === undefined);
    const named = caches.configs.get(ref);
    const others = caches.configs
      .byIndex(BY_VIRTUAL_MACHINE, keyOf(ref))
      .filter(({ metadata }) => keyOf(metadata) !== keyOf(ref));
    const instance = caches.instances.get(ref);
    const networks = multusNetworks(vm, instance);
    // vm-dhcp-controller still keeps the config of this VM.
    if (networks.some((network) => caches.otherAgentsOn(network).length > 0)) return undefined;
    const managedNetworks = new Set(networks.filter(hasPool));
    return {
      vm,
      instance,
      configs: [...others, ...(named === undefined ? [] : [named])],
      managedNetworks,
      clusterUid: assignMACs && managedNetworks.size > 0 ? await this.#identity.uid() : undefined,
    };
  }

  /**
   * Force-overwrites user changes of the manager's fields, if the config has not changed since it was read. Returns
   * whether the server accepted it.
   */
  async #apply(vm: VirtualMachine, config: Draft<VirtualMachineNetworkConfig>): Promise<boolean> {
    const { client, events, logger, rights } = this.#options;
    const { uid, name = '' } = config.metadata;
    await rights?.hold(vm.metadata.namespace ?? '');
    try {
      await client.apply(VIRTUAL_MACHINE_NETWORK_CONFIGS, config, { force: uid !== undefined });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const message = `VirtualMachineNetworkConfig ${name} was refused: ${error.serverMessage}`;
      events.event(vm, 'Warning', 'NetworkConfigRefused', message);
      return false;
    }
    logger.info({ object: keyOf(vm.metadata), config: name }, 'wrote the config of a VM');
    return true;
  }

  /** Its owner may be a newer VM that the cache does not have yet, so ask the server. */
  async #removeLeft(config: VirtualMachineNetworkConfig, vm: VirtualMachine): Promise<void> {
    const { namespace = '', name, uid } = vm.metadata;
    const current = await this.#options.client.find(VIRTUAL_MACHINES, { namespace, name });
    if (current?.metadata.uid === uid) await this.#delete(config);
  }

  async #delete({ metadata }: VirtualMachineNetworkConfig): Promise<void> {
    const { namespace = '', name, uid, resourceVersion } = metadata;
    await this.#options.client.delete(
      VIRTUAL_MACHINE_NETWORK_CONFIGS,
      { namespace, name },
      { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    );
  }

  async #assign(vm: VirtualMachine, { macs, patch }: Assignment): Promise<Result | undefined> {
    const { client, events, logger } = this.#options;
    const { namespace = '', name } = vm.metadata;
    try {
      await client.patch(VIRTUAL_MACHINES, { namespace, name }, 'json', patch);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 422)) throw error;
      logger.debug({ err: error, virtualMachine: `${namespace}/${name}` }, 'a VM was not given MAC addresses');
      return { requeueAfter: isLostRace(error) ? CATCH_UP : LOOK_AGAIN };
    }
    const given = Object.entries(macs).map(([nic, mac]) => `${nic}: ${mac}`);
    events.event(vm, 'Normal', 'MACAddressAssigned', `Wrote MAC addresses into the template: ${given.join(', ')}.`);
    return undefined;
  }
}
