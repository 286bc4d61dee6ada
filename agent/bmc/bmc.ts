import { BMC_DEFAULTS, ipmiSettings, redfishSettings, type VirtualMachineBMC } from '../../api/index.ts';
import { watchdogStateOf } from '../../protocols/ipmi/index.ts';
import type { Machine } from '../../protocols/machine/index.ts';
import type { BmcGauges } from './bmc-metrics.ts';
import { credentialsOf } from './accounts/credentials.ts';
import { bmcParts, type BmcParts, type BmcPartsOptions } from './bmc-parts.ts';
import { ReconcileSteps, type StepFailure, StepsError } from './reconcile-steps.ts';
import { ClientCertificate } from './servers/client-certificate.ts';
import { IpmiService, type IpmiWish } from './servers/ipmi-service.ts';
import { listenerPolicy } from './servers/listener-policy.ts';
import { FailureLimiter } from './servers/login-failures.ts';
import { advertisedPortOf, lanAddressOf, networkOf } from './servers/network-of.ts';
import { observeIpmi } from './servers/observe-ipmi.ts';
import { observeRedfish } from './servers/observe-redfish.ts';
import type { ProcessorShare } from './servers/processor-share.ts';
import { RedfishService, type RedfishWish } from './servers/redfish-service.ts';
import { serviceSwitch } from './servers/service-switch.ts';
import { StatusReport, type StatusReportOptions } from './status-report.ts';

/** Names of steps. */
const SERVING = { ipmi: 'serving IPMI', redfish: 'serving Redfish' } as const;

export interface BmcOptions
  extends Omit<BmcPartsOptions, 'signal' | 'waiting'>, Pick<StatusReportOptions, 'acts' | 'tellsProblems'>, BmcPorts {
  /** The BMC's part of the processor; absent: all of it. */
  share?: ProcessorShare;
}

export interface BmcPorts {
  /** UDP port of IPMI. */
  ipmiPort: number;
  /** TCP port of Redfish over HTTPS; absent: Redfish is not served. */
  redfishPort?: number;
  /** TCP port of Redfish over plain HTTP, if the BMC enables it. */
  redfishHttpPort?: number;
}

/**
 * One running BMC: its protocol servers, its machine, and its background work. The background work restores the boot
 * order, powers the machine on after a power cycle, resumes a machine that was started paused for its firmware setup,
 * and updates the agent's part of the status.
 */
export class Bmc {
  readonly #options: BmcOptions;
  readonly #parts: BmcParts;
  readonly #steps: ReconcileSteps;
  readonly #stop = new AbortController();
  readonly #ipmi: IpmiService;
  readonly #redfish: RedfishService | undefined;
  readonly #certificate: ClientCertificate;
  readonly #report: StatusReport;
  readonly #vmName: string;
  #problem: string | undefined = 'it is starting';
  /** What the last `serve` has applied. */
  #served: Served | undefined;
  #acting: Promise<unknown> | undefined;

  constructor(options: BmcOptions) {
    this.#options = options;
    this.#vmName = options.bmc.spec.virtualMachineRef.name;
    this.#parts = bmcParts({ ...options, signal: this.#stop.signal, waiting: (base) => this.#report.waiting(base) });
    this.#steps = new ReconcileSteps(this.#parts);
    const limiter = new FailureLimiter(options.now);
    this.#ipmi = ipmiService(options, this.#parts, limiter);
    const { redfishPort, clock, acts, tellsProblems } = options;
    const { status, hypervisor } = this.#parts;
    this.#certificate = new ClientCertificate({
      bmc: () => options.latest() ?? options.bmc,
      state: this.#parts.state.https,
      clock,
      show: () => this.#showCertificate(),
    });
    this.#report = new StatusReport({
      ...{ status, hypervisor, clock, acts, tellsProblems },
      problem: () => this.problem,
      certificateExpires: () => this.#certificate.current?.expiresAt,
    });
    this.#redfish =
      redfishPort === undefined
        ? undefined
        : redfishService({ ...options, redfishPort }, this.#parts, limiter, this.#certificate);
  }

  /** The machine behind the protocols. */
  get machine(): Machine {
    return this.#parts.hypervisor.machine;
  }

  /** Why the BMC does not answer its clients; undefined if it does. */
  get problem(): string | undefined {
    const ipmi = this.#ipmi.port === undefined || this.#ipmi.answers ? undefined : 'IPMI does not answer';
    return this.#problem ?? this.#steps.problemOf(...Object.values(SERVING)) ?? ipmi ?? this.#redfish?.problem;
  }

  /** Clients that are logged in over IPMI. */
  get sessionCount(): number {
    return this.#ipmi.sessionCount;
  }

  /** For metrics. */
  get gauges(): Omit<BmcGauges, 'bmcs'> {
    const redfish = this.#parts.state.redfish.current().sessions?.length ?? 0;
    return {
      sessions: { ipmi: this.sessionCount, redfish },
      certificateExpires: this.#redfish?.certificateExpires,
    };
  }

  /** Redfish connections; while draining, only those with a request in progress. */
  get connectionCount(): number {
    return this.#redfish?.connectionCount ?? 0;
  }

  /** The UDP port of IPMI. */
  get ipmiPort(): number | undefined {
    return this.#ipmi.port;
  }

  /** The TCP port of Redfish over HTTPS. */
  get redfishPort(): number | undefined {
    return this.#redfish?.port;
  }

  /** Whether this is still the BMC of the same machine. If not, it is replaced. */
  serves(bmc: VirtualMachineBMC | undefined): boolean {
    if (bmc === undefined) return false;
    return bmc.metadata.uid === this.#options.bmc.metadata.uid && bmc.spec.virtualMachineRef.name === this.#vmName;
  }

  /**
   * Applies the resource and its Secrets. Idempotent; may be called at any time, but not twice at the same time.
   *
   * @returns false if what it needs is not read yet
   * @throws StepsError if some steps failed; the other steps are done
   */
  async serve(bmc: VirtualMachineBMC): Promise<boolean> {
    const { secrets, state, hypervisor } = this.#parts;
    secrets.follow(bmc);
    if (!hypervisor.hasSettled || secrets.credentials === undefined) return false;
    hypervisor.prefetch();
    await state.load();
    const failures = await this.#serve(bmc);
    this.#served = { generation: bmc.metadata.generation, isComplete: failures.length === 0 };
    if (failures.length > 0) throw new StepsError(failures);
    return true;
  }

  /**
   * Does the background work of the acting agent for a BMC that is served. Idempotent; may be called at any time, but not twice at
   * the same time.
   *
   * @returns milliseconds until it is due without an event; undefined: no known time
   * @throws StepsError if some steps failed; the other steps are done
   */
  async act(bmc: VirtualMachineBMC): Promise<number | undefined> {
    const served = this.#served;
    if (served === undefined || !this.#options.acts(bmc)) return undefined;
    const { queue, hypervisor } = this.#parts;
    const acting = queue.run(() => this.#act(served));
    this.#acting = acting;
    const failures = await acting;
    if (failures.length > 0) throw new StepsError(failures);
    const due = Math.min(hypervisor.dueIn ?? Infinity, this.#report.dueIn ?? Infinity);
    return due === Infinity ? undefined : due;
  }

  /** Refuses new logins and connections. */
  drain(): void {
    this.#ipmi.drain();
    this.#redfish?.drain();
  }

  async close(): Promise<void> {
    await this.#acting?.catch(() => undefined);
    const { secrets, state, hypervisor, log } = this.#parts;
    this.#stop.abort();
    secrets.stop();
    state.stop();
    hypervisor.stop();
    await Promise.all([this.#ipmi.close(), this.#redfish?.close()]);
    this.#options.share?.close();
    await log.close(this.#options.latest()?.metadata.uid === this.#options.bmc.metadata.uid);
  }

  async #serve(bmc: VirtualMachineBMC): Promise<readonly StepFailure[]> {
    const wish = this.#wish(bmc);
    const problem = 'problem' in wish ? wish.problem : undefined;
    if (problem !== undefined && problem !== this.#problem) this.#parts.logger.warn({ problem }, 'the BMC is off');
    const { ipmi, redfish } = 'problem' in wish ? {} : wish;
    const failures = await this.#steps.carryOut([
      { name: SERVING.ipmi, work: () => this.#ipmi.serve(ipmi) },
      // After IPMI: its modules are loaded once IPMI answers.
      { name: SERVING.redfish, work: async () => await this.#redfish?.serve(redfish) },
    ]);
    this.#problem = problem;
    return failures;
  }

  async #showCertificate(): Promise<void> {
    const wish = this.#wish(this.#options.latest() ?? this.#options.bmc);
    if (!('problem' in wish)) await this.#redfish?.serve(wish.redfish);
  }

  #wish(bmc: VirtualMachineBMC): { ipmi?: IpmiWish; redfish?: RedfishWish } | { problem: string } {
    const { made, secrets, accounts } = this.#parts;
    const defaults = this.#options.defaults ?? BMC_DEFAULTS;
    const { enabled, advertisedPort, ...settings } = ipmiSettings(bmc.spec, defaults);
    const reading = credentialsOf(made.newest(secrets.credentials?.object), secrets, enabled);
    accounts.follow('problem' in reading ? undefined : reading.credentials);
    if ('problem' in reading) return reading;
    const port = advertisedPortOf(bmc, advertisedPort);
    return {
      ...(enabled ? { ipmi: { bmcKey: reading.credentials.kg, settings, advertisedPort: port } } : {}),
      redfish: {
        certificate: secrets.certificate,
        clientCertificate: this.#certificate.current,
        http: redfishSettings(bmc.spec, defaults).http,
      },
    };
  }

  async #act({ generation, isComplete }: Served): Promise<readonly StepFailure[]> {
    const steps = await this.#parts.hypervisor.steps();
    const failures = await this.#steps.carryOut(steps);
    // After a failure the next attempt may be late.
    const mayWait = isComplete && failures.length === 0;
    const status = { name: 'status', work: () => this.#report.write(generation, mayWait) };
    return [...failures, ...(await this.#steps.carryOut([status]))];
  }
}

interface Served {
  readonly generation: number | undefined;
  /** Whether no step failed. */
  readonly isComplete: boolean;
}

function ipmiService(options: BmcOptions, parts: BmcParts, limiter: FailureLimiter): IpmiService {
  const { bmc, addresses, ipmiPort, deviceInfo, latest, acts, agentMetrics: metrics, random, now, clock } = options;
  const { hypervisor, accounts, state, logger, report, log } = parts;
  const { machine } = hypervisor;
  return new IpmiService({
    ...{ machine, accounts, addresses, deviceInfo, random, now, clock, logger, traces: options.traces },
    nativeUdp: options.nativeUdp,
    settings: state.settings,
    port: ipmiPort,
    deviceGuid: bmc.metadata.uid,
    acts: () => {
      const current = latest();
      return current !== undefined && acts(current);
    },
    checks: options.checks,
    ...(options.share === undefined ? {} : { share: options.share }),
    onCheck: options.wake,
    lanAddress: () => lanAddressOf(latest()),
    observer: observeIpmi({ logger, report, log, limiter, metrics }),
  });
}

function redfishService(
  options: BmcOptions & { redfishPort: number },
  parts: BmcParts,
  limiter: FailureLimiter,
  certificateOwner: ClientCertificate,
): RedfishService {
  const { bmc, addresses, redfishPort, redfishHttpPort, version, restart, random, now, clock } = options;
  const { agentMetrics: metrics } = options;
  const { hypervisor, accounts, state, status, logger, report, log } = parts;
  const { machine } = hypervisor;
  const defaults = options.defaults ?? BMC_DEFAULTS;
  // A switched service is visible before the watch shows the change.
  const current = (): VirtualMachineBMC => status.latest ?? bmc;
  return new RedfishService({
    ...{ machine, accounts, addresses, random, now, clock, logger, traces: options.traces },
    checks: options.checks,
    ...(options.share === undefined ? {} : { share: options.share }),
    onCheck: options.wake,
    state: state.redfish,
    port: redfishPort,
    ...(redfishHttpPort === undefined ? {} : { httpPort: redfishHttpPort }),
    serviceUuid: bmc.metadata.uid ?? '',
    version: version ?? '0.0',
    network: () => networkOf(current(), defaults),
    certificateOwner,
    switchServices: serviceSwitch(parts, clock),
    webConsole: {
      isEnabled: () => redfishSettings(current().spec, defaults).webConsole,
      ...(options.pages === undefined ? {} : { pages: options.pages }),
    },
    legacyProperties: () => redfishSettings(current().spec, defaults).legacyProperties,
    watchdog: () => watchdogStateOf(state.settings.current()),
    lockout: () => ipmiSettings(current().spec, defaults).lockout,
    restart: () => restart?.({ namespace: bmc.metadata.namespace ?? '', name: bmc.metadata.name }),
    listeners: listenerPolicy(current, options.client, options.hosts, now),
    report,
    observer: observeRedfish({ logger, report, log, limiter, metrics }),
  });
}
