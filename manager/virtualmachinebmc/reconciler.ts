import {
  isConflict,
  keyOf,
  unlessGone,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import {
  certificateSecretName,
  VIRTUAL_MACHINE_BMCS,
  type VirtualMachineBMC,
  type VirtualMachineBMCStatus,
} from '../../api/index.ts';
import { isRefusal } from '../refusal.ts';
import { ConditionEvents } from './condition-events.ts';
import { apply, planOf, type Writer, type Plan } from './plan.ts';
import type { Inputs, Refusal } from './inputs.ts';
import { certificateDueIn, certificatePlan, writeCertificate } from './certificate.ts';
import { markVmReleased, EjectError, ejectMedia, FINALIZER, RestoreError, restoreBoot } from './release.ts';
import { virtualMachineOf } from './caches.ts';
import { loadInputs, type Sources } from './load-inputs.ts';
import { isHolder } from './conditions/virtual-machine.ts';
import { statusOf } from './conditions/status.ts';
import { Contests } from './contests.ts';
import { leftStatusOf, saysThatItIsLeft } from './left-status.ts';
import { FirstReports } from './first-reports.ts';
import { report } from './report.ts';
import { assignmentOf } from '../sharedagent/index.ts';
import type { FinalizingRights } from '../finalizing-rights.ts';

export interface ReconcilerOptions extends Sources, Writer {
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
  /** Absent: the manager's permissions do not end with the namespace. */
  rights?: FinalizingRights | undefined;
}

/** Milliseconds until the next check of problems that no watch reports, such as an object of another owner. */
const LOOK_AGAIN = 15_000;

/** Timers are limited to 31 bits of milliseconds. */
const LONGEST_WAIT = 86_400_000;

type GiveBack = (bmc: VirtualMachineBMC, client: KubeClient, machine: ObjectRef) => Promise<boolean>;

/** What is restored on a virtual machine before its BMC leaves it, and the Event that reports it. */
const GIVEN_BACK: readonly (readonly [work: GiveBack, reason: string, message: string])[] = [
  [restoreBoot, 'BootOrderRestored', 'The virtual machine has the boot order back that its owner gave it.'],
  [
    ejectMedia,
    'MediaEjected',
    'The images of clients were taken out of the virtual machine: it has in its drives what its owner put there.',
  ],
];

/** Reconciles VirtualMachineBMCs: reads, evaluates, writes. */
export class VirtualMachineBmcReconciler {
  readonly #options: ReconcilerOptions;
  readonly #conditionEvents: ConditionEvents;
  readonly #contests = new Contests();
  readonly #firstReports = new FirstReports();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#conditionEvents = new ConditionEvents(options.events);
  }

  async reconcile(ref: ObjectRef): Promise<Result | undefined> {
    return await unlessGone(() => this.#reconcile(ref));
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const inputs = await loadInputs(ref, this.#options);
    if (inputs === undefined) {
      this.#contests.forget(ref);
      this.#firstReports.forget(ref);
      this.#options.shared.assignments.forget({ namespace: ref.namespace ?? '', name: ref.name });
      await this.#options.rights?.settle(ref.namespace ?? '');
      return undefined;
    }
    // The sync of the virtual machines triggers the next reconcile.
    if (inputs.formerMachines === undefined) return undefined;
    // Before the agent of another virtual machine starts, which drops what the BMC's status says about this one.
    for (const machine of inputs.formerMachines) await this.#giveBackAll(inputs.bmc, machine);
    if (inputs.bmc.metadata.deletionTimestamp !== undefined) {
      await this.#release(ref, inputs);
      return undefined;
    }
    const { client, clock, known } = this.#options;
    // Use one timestamp for the write and for the requeue delay.
    const now = clock.now();
    const left = leftStatusOf(inputs, now);
    if (left !== undefined) {
      await this.#leave(inputs, left);
      return { requeueAfter: LOOK_AGAIN };
    }
    const contest = this.#contests.of(inputs.bmc);
    const at = clock.monotonic();
    const plan = contest.begin(planOf(inputs, now), inputs.children, at);
    const after = await this.#write(plan, inputs, now);
    const { bmc, refusals } = after;
    contest.refused(refusals);
    this.#log(ref, plan);
    const status = statusOf({ ...after, isContested: contest.isOn() }, clock.now());
    this.#announceMove(inputs, after);
    const isContested = contest.isOn();
    const patience = this.#firstReports.patience(after, status, at);
    if (patience === undefined && contest.allows(bmc, status, at)) {
      const written = await report(bmc, status, client);
      known.note('bmc', written);
      contest.reported(bmc, written, status, at);
      this.#conditionEvents.announce(bmc, status);
    }
    if (isContested && !contest.isOn()) return { requeueAfter: 0 };
    const isRefused = refusals.length > 0 || isBlocked(inputs);
    const waits = [isRefused ? LOOK_AGAIN : undefined, patience, contest.dueIn(at), certificateDueIn(after, now)];
    const [next] = waits.flatMap((wait) => wait ?? []).toSorted((a, b) => a - b);
    return next === undefined ? undefined : { requeueAfter: Math.min(next, LONGEST_WAIT) };
  }

  /** Clients may notice it: their sessions end with the agent before. */
  #announceMove({ bmc, children: { service: before } }: Inputs, { children: { service: after } }: Inputs): void {
    if (before.standing !== 'Ours' || after.standing !== 'Ours') return;
    const [from, to] = [before, after].map(({ object }) => assignmentOf(object)?.agent);
    if (from === to) return;
    const agent = to === undefined ? 'an agent of its own' : `shared agent ${to}`;
    this.#options.events.event(bmc, 'Normal', 'Moved', `The Service leads to ${agent} now.`);
  }

  async #leave(inputs: Inputs, status: VirtualMachineBMCStatus): Promise<void> {
    const { client } = this.#options;
    // The webhook gives it to all new BMCs. The deletion of one that another controller serves must not wait for this manager.
    const isInWay = FINALIZER.isOn(inputs.bmc) && !mayHaveChanged(inputs);
    const bmc = isInWay ? await FINALIZER.set(inputs.bmc, false, client) : inputs.bmc;
    if (saysThatItIsLeft(bmc.status, status)) return;
    await report(bmc, status, client);
    this.#conditionEvents.announce(bmc, status);
  }

  /** @returns the inputs as they are after the writes, with the permanent rejections of the API server */
  async #write(plan: Plan, inputs: Inputs, now: number): Promise<Inputs> {
    const { client, known, rights } = this.#options;
    const [first, rest] = [true, false].map((isService) =>
      plan.apply.filter(({ child }) => (child === 'service') === isService),
    );
    // If another controller serves the BMC, the create of the Service tells, before anything else is written.
    const begun = await apply({ ...plan, apply: first ?? [], createCredentials: false }, inputs, this.#options);
    await rights?.hold(inputs.bmc.metadata.namespace ?? '');
    let { bmc } = inputs;
    if (!FINALIZER.isOn(bmc)) {
      bmc = await FINALIZER.set(bmc, true, client);
      known.note('bmc', bmc);
    }
    // With the address of the Service, and before the pod that uses it.
    const certified = await this.#certify({ ...begun, bmc }, now);
    return await apply({ ...plan, apply: rest ?? [], remove: [] }, certified, this.#options);
  }

  async #certify(inputs: Inputs, now: number): Promise<Inputs> {
    const { bmc, claimants, certificate } = inputs;
    if (!isHolder(bmc, claimants)) return inputs;
    const { client, known, logger } = this.#options;
    const plan = certificatePlan(inputs, now);
    const ref = { namespace: bmc.metadata.namespace ?? '', name: certificateSecretName(bmc.metadata.name) };
    try {
      const secret = await writeCertificate(plan, { bmc, held: certificate.held, client, now });
      if (secret === undefined) return inputs;
      known.note('certificate', secret);
      logger.info({ object: keyOf(bmc.metadata), act: plan.act }, "wrote a BMC's certificate");
      const held = { standing: 'Ours', uid: secret.metadata.uid ?? '', data: secret.data ?? {} } as const;
      return { ...inputs, certificate: { ...certificate, held } };
    } catch (error) {
      if (isConflict(error)) known.occupied('certificate', ref);
      if (!isRefusal(error)) throw error;
      const refusal: Refusal = { child: 'certificate', object: `Secret ${ref.name}`, message: error.serverMessage };
      return { ...inputs, refusals: [...inputs.refusals, refusal] };
    }
  }

  /** Restores the virtual machine, then removes the finalizer; the children are garbage-collected. */
  async #release(ref: ObjectRef, { bmc: cached, claimants }: Inputs): Promise<void> {
    const { client } = this.#options;
    // If the BMC is gone, another BMC may hold the VM.
    const bmc = FINALIZER.isOn(cached) ? await client.get(VIRTUAL_MACHINE_BMCS, ref) : cached;
    if (bmc.metadata.uid !== cached.metadata.uid || !FINALIZER.isOn(bmc)) return;
    // What a second BMC of the VM finds there is the first one's.
    if (isHolder(bmc, claimants)) {
      await markVmReleased(bmc, client);
      await this.#giveBackAll(bmc, virtualMachineOf(bmc));
    }
    await FINALIZER.set(bmc, false, client);
  }

  async #giveBackAll(bmc: VirtualMachineBMC, machine: ObjectRef): Promise<void> {
    const { client, events } = this.#options;
    // A failure to restore one must not block the other.
    const failures: unknown[] = [];
    for (const [work, reason, message] of GIVEN_BACK) {
      try {
        if (await work(bmc, client, machine)) events.event(bmc, 'Normal', reason, message);
      } catch (error) {
        failures.push(error);
        if (error instanceof RestoreError || error instanceof EjectError) {
          events.event(bmc, 'Warning', error.code, error.message);
        }
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  #log(ref: ObjectRef, { remove, apply: applied, createCredentials }: Plan): void {
    if (remove.length === 0 && applied.length === 0 && !createCredentials) return;
    const fields = {
      object: keyOf(ref),
      removed: remove.map(({ child, object }) => `${child} ${object.metadata.name}`),
      applied: applied.map(({ child }) => child),
      createdCredentials: createCredentials,
    };
    this.#options.logger.info(fields, 'wrote the children of a BMC');
  }
}

/** Whether an agent of ours has changed the virtual machine, or may do so. */
function mayHaveChanged({ bmc: { status = {} }, children }: Inputs): boolean {
  const { bootOverride, virtualMedia = [] } = status;
  return bootOverride !== undefined || virtualMedia.length > 0 || children.deployment.standing === 'Ours';
}

function isBlocked({ children }: Inputs): boolean {
  return Object.values(children).some(({ standing }) => standing === 'Theirs');
}
