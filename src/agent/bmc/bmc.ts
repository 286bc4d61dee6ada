import { isDeepStrictEqual } from 'node:util';
import { BMC_DEFAULTS, eventLogName, ipmiSettings, type VirtualMachineBMC } from '../../api/index.ts';
import { CONFIG_MAPS, isConflict, type ConfigMap } from '../../kube/index.ts';
import { MachineError, type Machine, type PowerState } from '../../protocols/machine/index.ts';
import { BmcAccounts, credentialsOf } from './accounts/index.ts';
import { BmcObjects } from './bmc-objects.ts';
import type { BmcSurroundings } from './bmc-surroundings.ts';
import { BootOverrideControl } from './boot-override/index.ts';
import { KubeVirtConsole } from './console/index.ts';
import { hardwareOf } from './hardware/index.ts';
import { advertisedPortOf, IpmiService, lanAddressOf, observeIpmi, type IpmiWish } from './ipmi/index.ts';
import { BmcEventLog } from './log/index.ts';
import { KubeVirtMachine, Lane, type ActionReport, type MachinePair } from './machine/index.ts';
import { PowerControl } from './power/index.ts';
import { LauncherUsage, sensorsOf } from './sensors/index.ts';
import { OwnedObject } from './owned/index.ts';
import { BmcState, MadeCredentials } from './state/index.ts';
import { agentStatusOf, BmcStatus } from './status/index.ts';
import { tellSettled, type EventParts } from './tell-settled.ts';

export interface BmcOptions extends BmcSurroundings {
  bmc: VirtualMachineBMC;
  ipmiPort: number;
  /** The BMC as a watch has it. */
  latest: () => VirtualMachineBMC | undefined;
  /** Asks for a `reconcile`, soon. */
  wake: () => void;
}

/**
 * One BMC at work: the protocols that it is reached by, the machine behind them, and what it does unasked, which is to restore the
 * boot order, to power on what it had to power off first, and to keep its part of the status true.
 */
export class Bmc {
  readonly #options: BmcOptions;
  readonly #lane = new Lane();
  readonly #stop = new AbortController();
  readonly #status: BmcStatus;
  readonly #power: PowerControl;
  readonly #bootOverride: BootOverrideControl;
  readonly #objects: BmcObjects;
  readonly #console: KubeVirtConsole;
  readonly #log: BmcEventLog;
  readonly #state: BmcState;
  readonly #made: MadeCredentials;
  readonly #accounts: BmcAccounts;
  readonly #ipmi: IpmiService;
  /** What its protocols speak to. */
  readonly machine: Machine;
  readonly #vmName: string;
  #problem: string | undefined = 'it is starting';
  /** Whether the last `reconcile` came to what the acting agent does. */
  #acted = false;

  constructor(options: BmcOptions) {
    const { bmc, client, watches, clock, addresses, ipmiPort, deviceInfo, now, random } = options;
    const { namespace = '', name } = bmc.metadata;
    const logger = options.logger.child({ bmc: `${namespace}/${name}` });
    this.#options = { ...options, logger };
    this.#vmName = bmc.spec.virtualMachineRef.name;
    this.#objects = new BmcObjects({
      ...{ watches, bmc },
      onChange: () => {
        this.#console.follow();
        options.wake();
      },
    });
    const machine = { namespace, name: this.#vmName };
    const { signal } = this.#stop;
    this.#console = new KubeVirtConsole({
      ...{ vm: machine, clock, random },
      open: options.openConsole,
      cached: () => this.#objects.pair,
    });
    const warn = (reason: string, message: string): void => {
      this.#report('Warning', reason, message);
    };
    const object = new OwnedObject<ConfigMap>({
      ...{ client, watches, bmc, kind: CONFIG_MAPS, name: eventLogName(name) },
      onChange: () => {
        this.#log.follow();
        options.wake();
      },
    });
    this.#log = new BmcEventLog({ object, report: warn, random, clock, logger });
    this.#state = new BmcState({ client, watches, bmc, onChange: options.wake, report: warn, clock, signal, logger });
    const made = new MadeCredentials({ client, bmc, cached: () => this.#objects.secret?.object, clock, signal });
    this.#made = made;
    this.#accounts = new BmcAccounts({
      store: this.#state.accounts,
      ownerSecret: () => ((options.latest() ?? bmc).spec.authSecretRef === undefined ? made : undefined),
    });
    this.#status = new BmcStatus({ client, bmc: { namespace, name }, cached: options.latest });
    this.#power = new PowerControl({ client, machine, clock, signal });
    this.#bootOverride = new BootOverrideControl({
      client,
      machine,
      status: this.#status,
      onSettled: (done, override) => {
        const told = tellSettled(done, override);
        if (told !== undefined) this.#report(...told.event);
        if (told?.entry !== undefined) this.#log.append(told.entry);
      },
      clock,
      signal,
    });
    const report = (action: ActionReport): void => {
      this.#report(action.outcome === 'refused' ? 'Warning' : 'Normal', action.reason, action.message);
      options.wake();
    };
    const usage = new LauncherUsage({ client, namespace, vmi: () => this.#objects.pair?.vmi, clock, logger });
    if (options.metrics === true) void usage.run(signal);
    let lastVmi: MachinePair['vmi'];
    this.machine = new KubeVirtMachine({
      machine,
      cached: () => this.#objects.pair,
      isFresh: () => this.#objects.isFresh,
      power: this.#power,
      bootOverride: this.#bootOverride,
      log: this.#log,
      console: this.#console,
      hardware: hardwareOf,
      sensors: () => {
        const { pair } = this.#objects;
        const powerState = pair === undefined ? undefined : this.#powerState(pair);
        lastVmi = pair?.vmi ?? lastVmi;
        return sensorsOf({ pair, powerState, usage: usage.current, lastVmi });
      },
      lane: this.#lane,
      report,
      logger,
    });
    this.#ipmi = new IpmiService({
      machine: this.machine,
      accounts: this.#accounts,
      settings: this.#state.settings,
      addresses,
      port: ipmiPort,
      deviceInfo,
      deviceGuid: bmc.metadata.uid,
      acts: () => options.latest()?.status?.agent?.name === options.podName,
      lanAddress: () => lanAddressOf(options.latest()),
      observer: observeIpmi({ logger, report: warn, log: this.#log, now }),
      random,
      now,
      clock,
      logger,
    });
  }

  /** What keeps the BMC from answering its clients; undefined where nothing does. */
  get problem(): string | undefined {
    return this.#problem ?? (this.#ipmi.port === undefined || this.#ipmi.answers ? undefined : 'IPMI does not answer');
  }

  get sessionCount(): number {
    return this.#ipmi.sessionCount;
  }

  /** The UDP port that IPMI is served on. */
  get ipmiPort(): number | undefined {
    return this.#ipmi.port;
  }

  /** Milliseconds until a `reconcile` has something to do though nothing happens before; undefined: none that is known. */
  get dueIn(): number | undefined {
    return this.#acted ? this.#bootOverride.lapsesIn : undefined;
  }

  /** Whether it still is the BMC of the same machine; if not, another takes its place. */
  serves(bmc: VirtualMachineBMC): boolean {
    return bmc.metadata.uid === this.#options.bmc.metadata.uid && bmc.spec.virtualMachineRef.name === this.#vmName;
  }

  /** Brings it in line with its resource, its Secret, and the machine. May be called at any time and any number of times. */
  async reconcile(bmc: VirtualMachineBMC): Promise<void> {
    this.#acted = false;
    this.#objects.follow(bmc);
    const { pair, secret } = this.#objects;
    if (pair === undefined || secret === undefined) return;
    await this.#state.load();
    await this.#serve(bmc);
    if (bmc.status?.agent?.name !== this.#options.podName) return;
    await this.#lane.run(() => this.#act(bmc.metadata.generation));
  }

  /** Lets nobody log in any more. */
  drain(): void {
    this.#ipmi.drain();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#objects.stop();
    this.#state.stop();
    await this.#ipmi.close();
    await this.#log.close(this.#options.latest()?.metadata.uid === this.#options.bmc.metadata.uid);
  }

  async #serve(bmc: VirtualMachineBMC): Promise<void> {
    const wish = this.#wish(bmc);
    const problem = 'problem' in wish ? wish.problem : undefined;
    if (problem !== undefined && problem !== this.#problem) this.#options.logger.warn({ problem }, 'IPMI is off');
    try {
      await this.#ipmi.serve('problem' in wish ? undefined : wish.ipmi);
    } catch (error) {
      this.#problem = `IPMI cannot be served: ${error instanceof Error ? error.message : String(error)}`;
      throw error;
    }
    this.#problem = problem;
  }

  #wish(bmc: VirtualMachineBMC): { ipmi: IpmiWish | undefined } | { problem: string } {
    const { enabled, advertisedPort, ...settings } = ipmiSettings(bmc.spec, this.#options.defaults ?? BMC_DEFAULTS);
    const reading = credentialsOf(this.#made.newest(this.#objects.secret?.object), this.#objects.secretName);
    this.#accounts.follow('problem' in reading ? undefined : reading.credentials);
    if (!enabled) return { ipmi: undefined };
    if ('problem' in reading) return reading;
    const port = advertisedPortOf(bmc, advertisedPort);
    return { ipmi: { bmcKey: reading.credentials.kg, settings, advertisedPort: port } };
  }

  /** What the acting agent does unasked. */
  async #act(generation: number | undefined): Promise<void> {
    const { pair } = this.#objects;
    if (pair === undefined) return;
    if (this.#objects.isFresh) this.#log.see(pair.vmi);
    await this.#bootOverride.settle(pair);
    await this.#power.settle(pair);
    await this.#writeStatus(generation);
    this.#acted = true;
  }

  async #writeStatus(observedGeneration: number | undefined): Promise<void> {
    const latest = this.#status.latest;
    const { pair } = this.#objects;
    if (latest === undefined || pair === undefined) return;
    const stands = agentStatusOf(latest);
    const wanted = { ...stands, powerState: this.#powerState(pair), observedGeneration };
    if (isDeepStrictEqual(stands, wanted)) return;
    try {
      await this.#status.write(latest, wanted);
    } catch (error) {
      // The watch brings the version that was in the way, and with it the next attempt.
      if (!isConflict(error)) throw error;
    }
  }

  #powerState(pair: MachinePair): PowerState | undefined {
    try {
      return this.#power.stateOf(pair);
    } catch (error) {
      if (error instanceof MachineError) return undefined;
      throw error;
    }
  }

  #report(...parts: EventParts): void {
    this.#options.events.event(this.#status.latest ?? this.#options.bmc, ...parts);
  }
}
