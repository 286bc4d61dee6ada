import {
  BMC_CONDITIONS,
  type BootOverrideStatus,
  type Condition,
  type FirmwareSetupStatus,
  type MediaStatus,
  VIRTUAL_MACHINE_BMCS,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import { type Draft, findCondition, type KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { MachineError, type PowerState } from '../../../protocols/machine/index.ts';
import { unavailable } from './client-error.ts';
import { newerOf } from './object-version.ts';

/** The agent's part of a BMC's status. */
export interface AgentStatus {
  powerState: PowerState | undefined;
  bootOverride: BootOverrideStatus | undefined;
  firmwareSetup: FirmwareSetupStatus | undefined;
  virtualMedia: readonly MediaStatus[] | undefined;
  observedGeneration: number | undefined;
  /** The one condition that agents write. */
  powerControlAvailable: Condition | undefined;
}

/** Field manager of the agents of all BMCs; what one of them has written, the next may take back. */
export const FIELD_MANAGER = 'groundcrew-agent-bmc';

export interface BmcStatusOptions {
  client: KubeClient;
  bmc: ObjectRef;
  /** The BMC as a watch has it. */
  cached: () => VirtualMachineBMC | undefined;
}

/**
 * Reads and writes the agent's part of one BMC's status. Each write sends the whole part, as server-side apply wants
 * it, and only over the version that it was made from: two agents that overlap never undo each other's boot override.
 */
export class BmcStatus {
  readonly #client: KubeClient;
  readonly #bmc: ObjectRef;
  readonly #cached: () => VirtualMachineBMC | undefined;
  #seen: VirtualMachineBMC | undefined;

  constructor(options: BmcStatusOptions) {
    this.#client = options.client;
    this.#bmc = options.bmc;
    this.#cached = options.cached;
  }

  /** The newest version that is known: what was written last, until the watch is past it. */
  get latest(): VirtualMachineBMC | undefined {
    const cached = this.#cached();
    if (cached === undefined) return undefined;
    return newerOf(cached, this.#seen);
  }

  /**
   * Reads it from the API server.
   *
   * @throws MachineError `Unavailable`
   */
  async read(): Promise<VirtualMachineBMC> {
    const bmc = await this.find();
    if (bmc === undefined) throw new MachineError('Unavailable', 'the VirtualMachineBMC does not exist');
    return bmc;
  }

  /**
   * The same; undefined where it does not exist.
   *
   * @throws MachineError `Unavailable`
   */
  async find(): Promise<VirtualMachineBMC | undefined> {
    try {
      const bmc = await this.#client.find(VIRTUAL_MACHINE_BMCS, this.#bmc);
      this.#seen = bmc ?? this.#seen;
      return bmc;
    } catch (error) {
      throw unavailable(error);
    }
  }

  /**
   * Writes what has changed over the version `base`, and what has not as it stands there.
   *
   * @throws ApiError 409 where the BMC is another version by now
   */
  async write(base: VirtualMachineBMC, change: Partial<AgentStatus>): Promise<VirtualMachineBMC> {
    const part = { ...agentStatusOf(base), ...change };
    const { powerState, bootOverride, firmwareSetup, virtualMedia, observedGeneration, powerControlAvailable } = part;
    const draft = {
      metadata: { ...this.#bmc, resourceVersion: base.metadata.resourceVersion },
      status: {
        ...(powerState === undefined ? {} : { powerState }),
        ...(bootOverride === undefined ? {} : { bootOverride }),
        ...(firmwareSetup === undefined ? {} : { firmwareSetup }),
        ...(virtualMedia === undefined ? {} : { virtualMedia }),
        ...(observedGeneration === undefined ? {} : { agent: { observedGeneration } }),
        ...(powerControlAvailable === undefined ? {} : { conditions: [powerControlAvailable] }),
      },
    };
    // An apply sends the fields that it is about; the spec is the user's.
    const written = await this.#client.apply(VIRTUAL_MACHINE_BMCS, draft as unknown as Draft<VirtualMachineBMC>, {
      subresource: 'status',
      fieldManager: FIELD_MANAGER,
      force: true,
    });
    this.#seen = written;
    return written;
  }
}

/** The agent's part as it stands in a BMC. */
export function agentStatusOf({ status }: VirtualMachineBMC): AgentStatus {
  return {
    powerState: status?.powerState,
    bootOverride: status?.bootOverride,
    firmwareSetup: status?.firmwareSetup,
    virtualMedia: status?.virtualMedia,
    observedGeneration: status?.agent?.observedGeneration,
    powerControlAvailable: findCondition(status?.conditions, BMC_CONDITIONS.powerControlAvailable),
  };
}
