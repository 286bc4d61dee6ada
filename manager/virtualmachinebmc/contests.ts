import { isAsNew, type KubeObject, type ObjectRef } from '@groundcrew/controller-runtime';
import type { VirtualMachineBMC, VirtualMachineBMCStatus } from '../../api/index.ts';
import { digest, type Application } from '../agent-workload/index.ts';
import { namespacedKey } from './caches.ts';
import { CHILD_NAMES, type ChildName } from './children/children.ts';
import { APPLIED_ANNOTATION } from '../bmc-agent/index.ts';
import { Contest } from '../contest.ts';
import type { ChildInputs, Refusal } from './inputs.ts';
import type { Plan } from './plan.ts';
import { isReported, ownPart } from './report.ts';

/** What other controllers undo of each BMC. */
export class Contests {
  readonly #contests = new Map<string, { uid: string | undefined; contest: BmcContest }>();

  of({ metadata }: VirtualMachineBMC): BmcContest {
    const key = namespacedKey(metadata);
    const known = this.#contests.get(key);
    if (known?.uid === metadata.uid && known !== undefined) return known.contest;
    const contest = new BmcContest();
    this.#contests.set(key, { uid: metadata.uid, contest });
    return contest;
  }

  forget(ref: ObjectRef): void {
    this.#contests.delete(namespacedKey(ref));
  }
}

/** What other controllers undo of one BMC: its children, or its status. */
class BmcContest {
  readonly #contest = new Contest<ChildName | 'status'>();
  /** The last write of the status; its content as a digest, for it stays as long as the BMC. */
  #reported: { bmc: KubeObject; digest: string } | undefined;

  isOn(): boolean {
    return this.#contest.isOn();
  }

  dueIn(now: number): number | undefined {
    return this.#contest.dueIn(now);
  }

  /** The part of the plan for which there is no pause, to be applied now. */
  begin(plan: Plan, children: ChildInputs, now: number): Plan {
    const apply = plan.apply.filter(({ child }) => this.#contest.allows(child, now));
    for (const child of CHILD_NAMES) {
      const application = plan.apply.find((each) => each.child === child);
      if (application === undefined) this.#contest.stands(child, now);
      else if (apply.includes(application)) this.#contest.wrote(child, wasUndone(application, children), now);
    }
    return { ...plan, apply };
  }

  /** What was refused was not undone. */
  refused(refusals: readonly Refusal[]): void {
    for (const { child } of refusals) if (isChild(child)) this.#contest.refused(child);
  }

  /** Whether the status is to be written now. */
  allows(bmc: VirtualMachineBMC, status: VirtualMachineBMCStatus, now: number): boolean {
    if (isReported(bmc, status)) {
      this.#contest.stands('status', now);
      return false;
    }
    // A BMC from before the last write cannot show whether that was undone. Its next state is in the watch.
    const isOld = this.#reported !== undefined && !isAsNew(bmc, this.#reported.bmc);
    return !isOld && this.#contest.allows('status', now);
  }

  /**
   * @param read the BMC before the write
   * @param written the BMC with the status
   */
  reported(read: VirtualMachineBMC, written: VirtualMachineBMC, status: VirtualMachineBMCStatus, now: number): void {
    const wasUndone = this.#reported !== undefined && digest(ownPart(read.status, status)) !== this.#reported.digest;
    this.#contest.wrote('status', wasUndone, now);
    const { apiVersion, kind, metadata } = written;
    const { name, resourceVersion = '' } = metadata;
    this.#reported = { bmc: { apiVersion, kind, metadata: { name, resourceVersion } }, digest: digest(status) };
  }
}

function isChild(name: Refusal['child']): name is ChildName {
  return CHILD_NAMES.some((child) => child === name);
}

function wasUndone({ child, draft }: Application<ChildName>, children: ChildInputs): boolean {
  const fact = children[child];
  if (fact.standing !== 'Ours') return false;
  return fact.object.metadata.annotations?.[APPLIED_ANNOTATION] === draft.metadata.annotations?.[APPLIED_ANNOTATION];
}
