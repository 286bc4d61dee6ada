import {
  isNotFound,
  keyOf,
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
import { report } from './report.ts';
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

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#conditionEvents = new ConditionEvents(options.events);
  }

  async reconcile(ref: ObjectRef): Promise<Result | undefined> {
    try {
      return await this.#reconcile(ref);
    } catch (error) {
      // Deleted since it was read; the cache will report it.
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const inputs = await loadInputs(ref, this.#options);
    if (inputs === undefined) {
      this.#conditionEvents.forget(ref);
      this.#contests.forget(ref);
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
    const { client, clock, rights } = this.#options;
    // Use one timestamp for the write and for the requeue delay.
    const now = clock.now();
    const left = leftStatusOf(inputs, now);
    if (left !== undefined) {
      await this.#leave(inputs.bmc, left);
      return { requeueAfter: LOOK_AGAIN };
    }
    await rights?.hold(ref.namespace ?? '');
    const bmc = FINALIZER.isOn(inputs.bmc) ? inputs.bmc : await FINALIZER.set(inputs.bmc, true, client);
    const contest = this.#contests.of(bmc);
    const at = clock.monotonic();
    const plan = contest.begin(planOf({ ...inputs, bmc }, now), inputs.children, at);
    // Before the pod that uses the certificate.
    const refusals = [...(await this.#certify({ ...inputs, bmc }, now)), ...(await apply(plan, bmc, this.#options))];
    contest.refused(refusals);
    this.#log(ref, plan);
    const status = statusOf({ ...inputs, bmc, refusals, isContested: contest.isOn() }, clock.now());
    const isContested = contest.isOn();
    if (contest.allows(bmc, status, at)) {
      contest.reported(bmc, await report(bmc, status, client), status, at);
      this.#conditionEvents.announce(bmc, status);
    }
    if (isContested && !contest.isOn()) return { requeueAfter: 0 };
    const isRefused = refusals.length > 0 || isBlocked(inputs);
    const waits = [isRefused ? LOOK_AGAIN : undefined, contest.dueIn(at), certificateDueIn(inputs, now)];
    const [next] = waits.flatMap((wait) => wait ?? []).toSorted((a, b) => a - b);
    return next === undefined ? undefined : { requeueAfter: Math.min(next, LONGEST_WAIT) };
  }

  async #leave(bmc: VirtualMachineBMC, status: VirtualMachineBMCStatus): Promise<void> {
    if (saysThatItIsLeft(bmc.status, status)) return;
    await report(bmc, status, this.#options.client);
    this.#conditionEvents.announce(bmc, status);
  }

  /** @returns the permanent rejections of the API server */
  async #certify(inputs: Inputs, now: number): Promise<Refusal[]> {
    const { bmc, claimants, certificate } = inputs;
    if (!isHolder(bmc, claimants)) return [];
    const { client, logger } = this.#options;
    const plan = certificatePlan(inputs, now);
    try {
      await writeCertificate(plan, { bmc, held: certificate.held, client, now });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const object = `Secret ${certificateSecretName(bmc.metadata.name)}`;
      return [{ child: 'certificate', object, message: error.serverMessage }];
    }
    if (plan.act !== 'keep') logger.info({ object: keyOf(bmc.metadata), act: plan.act }, "wrote a BMC's certificate");
    return [];
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

function isBlocked({ children }: Inputs): boolean {
  return Object.values(children).some(({ standing }) => standing === 'Theirs');
}
