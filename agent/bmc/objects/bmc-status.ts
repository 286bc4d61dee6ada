import {
  BMC_CONDITIONS,
  type BootOverrideStatus,
  type Condition,
  type FirmwareSetupStatus,
  type MediaStatus,
  VIRTUAL_MACHINE_BMCS,
  type VirtualMachineBMC,
  type VirtualMachineBMCSpec,
} from '../../../api/index.ts';
import {
  type Draft,
  findCondition,
  type KubeClient,
  type ObjectRef,
  type RequestOptions,
} from '@groundcrew/controller-runtime';
import { MachineError, type PowerState } from '../../../protocols/machine/index.ts';
import { clientError, unavailable } from './client-error.ts';
import { OwnVersion } from './object-version.ts';

/** The agent's part of a BMC's status. */
export interface AgentStatus {
  powerState: PowerState | undefined;
  bootOverride: BootOverrideStatus | undefined;
  firmwareSetup: FirmwareSetupStatus | undefined;
  virtualMedia: readonly MediaStatus[] | undefined;
  observedGeneration: number | undefined;
  /** Why a shared agent does not serve the BMC. */
  problem: string | undefined;
  /** The only condition that agents write. */
  powerControlAvailable: Condition | undefined;
  clientCertificateExpiresAt: string | undefined;
}

/** Field manager of the agents of all BMCs: an agent may remove what another one has written. */
export const FIELD_MANAGER = 'groundcrew-agent-bmc';

export interface BmcStatusOptions {
  client: KubeClient;
  bmc: ObjectRef;
  /** The BMC from the watch cache. */
  cached: () => VirtualMachineBMC | undefined;
  /** What waits to be written: each write carries it. */
  waiting?: (base: VirtualMachineBMC) => Partial<AgentStatus>;
}

/**
 * Reads and writes the agent's part of one BMC's status. A write sends the whole part (server-side apply) with the
 * resource version that it is based on: overlapping agents never undo each other's boot override.
 */
export class BmcStatus {
  readonly #client: KubeClient;
  readonly #bmc: ObjectRef;
  readonly #cached: () => VirtualMachineBMC | undefined;
  readonly #waiting: BmcStatusOptions['waiting'];
  readonly #own = new OwnVersion<VirtualMachineBMC>();

  constructor(options: BmcStatusOptions) {
    this.#client = options.client;
    this.#bmc = options.bmc;
    this.#cached = options.cached;
    this.#waiting = options.waiting;
  }

  /** The newest known version: the last one read or written, until the watch is newer. */
  get latest(): VirtualMachineBMC | undefined {
    const cached = this.#cached();
    return cached && this.#own.over(cached);
  }

  /**
   * Reads it from the API server.
   *
   * @throws MachineError `Unavailable`
   */
  async read(options: RequestOptions = {}): Promise<VirtualMachineBMC> {
    const bmc = await this.find(options);
    if (bmc === undefined) throw new MachineError('Unavailable', 'the VirtualMachineBMC does not exist');
    return bmc;
  }

  /**
   * Reads it from the API server; undefined if it does not exist.
   *
   * @throws MachineError `Unavailable`
   */
  async find(options: RequestOptions = {}): Promise<VirtualMachineBMC | undefined> {
    try {
      const bmc = await this.#client.find(VIRTUAL_MACHINE_BMCS, this.#bmc, options);
      if (bmc !== undefined) this.#own.note(bmc);
      return bmc;
    } catch (error) {
      throw unavailable(error);
    }
  }

  /**
   * Writes `change` and what waits, and keeps the rest of `base`.
   *
   * @throws ApiError 409 if the BMC has changed since `base`
   */
  async write(
    base: VirtualMachineBMC,
    change: Partial<AgentStatus>,
    options: RequestOptions = {},
  ): Promise<VirtualMachineBMC> {
    const part = { ...agentStatusOf(base), ...this.#waiting?.(base), ...change };
    const { powerState, bootOverride, firmwareSetup, virtualMedia, observedGeneration, powerControlAvailable } = part;
    const { clientCertificateExpiresAt, problem } = part;
    const agent = {
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      ...(problem === undefined ? {} : { problem }),
    };
    const draft = {
      metadata: { ...this.#bmc, resourceVersion: base.metadata.resourceVersion },
      status: {
        ...(powerState === undefined ? {} : { powerState }),
        ...(bootOverride === undefined ? {} : { bootOverride }),
        ...(firmwareSetup === undefined ? {} : { firmwareSetup }),
        ...(virtualMedia === undefined ? {} : { virtualMedia }),
        ...(Object.keys(agent).length === 0 ? {} : { agent }),
        ...(powerControlAvailable === undefined ? {} : { conditions: [powerControlAvailable] }),
        ...(clientCertificateExpiresAt === undefined ? {} : { clientCertificateExpiresAt }),
      },
    };
    // An apply contains only the fields that it sets.
    const written = await this.#client.apply(VIRTUAL_MACHINE_BMCS, draft as unknown as Draft<VirtualMachineBMC>, {
      subresource: 'status',
      fieldManager: FIELD_MANAGER,
      force: true,
      ...options,
    });
    this.#own.note(written);
    return written;
  }

  /**
   * Switches services in the spec, of which the admission policies allow an agent nothing else.
   *
   * @throws MachineError `InvalidState`, `Forbidden`, `Unavailable`
   */
  async switchServices(spec: Pick<VirtualMachineBMCSpec, 'ipmi' | 'redfish'>, options: RequestOptions): Promise<void> {
    const draft = { metadata: { uid: this.latest?.metadata.uid }, spec };
    try {
      this.#own.note(await this.#client.patch(VIRTUAL_MACHINE_BMCS, this.#bmc, 'merge', draft, options));
    } catch (error) {
      throw clientError(error);
    }
  }
}

/** The agent's part of a BMC's status. */
export function agentStatusOf({ status }: VirtualMachineBMC): AgentStatus {
  return {
    powerState: status?.powerState,
    bootOverride: status?.bootOverride,
    firmwareSetup: status?.firmwareSetup,
    virtualMedia: status?.virtualMedia,
    observedGeneration: status?.agent?.observedGeneration,
    problem: status?.agent?.problem,
    powerControlAvailable: findCondition(status?.conditions, BMC_CONDITIONS.powerControlAvailable),
    clientCertificateExpiresAt: status?.clientCertificateExpiresAt,
  };
}
