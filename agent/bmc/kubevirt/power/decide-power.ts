import {
  carriesOrder,
  carriesSecureBoot,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../../api/index.ts';
import type { PowerAction } from '../../../../protocols/machine/index.ts';
import type { PowerCall, PowerDecision } from './power-call.ts';
import { graceSecondsOf, type PowerInputs, powerInputsOf } from './power-inputs.ts';

export interface PowerQuestion {
  action: PowerAction;
  /** As read just now, not from a cache: an answer that is behind would call a machine that is going off on. */
  vm: VirtualMachine | undefined;
  vmi: VirtualMachineInstance | undefined;
  /** False where this KubeVirt is known to have no `reset`. */
  canReset: boolean;
}

interface Situation extends PowerInputs {
  canReset: boolean;
  /** A reset would boot from what the VM's template said when it was last powered on. */
  templateChanged: boolean;
  /** Something in the guest hears a request to reboot: its agent, or ACPI. */
  hearsReboot: boolean;
}

const NOTHING: PowerDecision = { do: 'nothing' };
const START: PowerCall = { subresource: 'start' };
const STOP: PowerCall = { subresource: 'stop' };
const CUT: PowerCall = { subresource: 'stop', gracePeriod: 0 };
const SOFT_REBOOT: PowerCall = { subresource: 'softreboot' };
const RESTART: PowerCall = { subresource: 'restart', gracePeriodSeconds: 0 };

const IS_OFF = 'the virtual machine is off: power it on instead';
const IS_COMING = 'the virtual machine is powering on: try again when it is on';
const IS_GOING = 'the virtual machine is powering off';

const DECIDE: Record<Exclude<PowerAction, 'DiagnosticInterrupt'>, (situation: Situation) => PowerDecision> = {
  On: decideOn,
  ForceOff: (situation) => decideOff(situation, CUT),
  GracefulShutdown: (situation) => decideOff(situation, STOP),
  GracefulRestart: decideGracefulRestart,
  ForceRestart: decideReset,
  PowerCycle: decideCycle,
  Pause: decidePause,
  Resume: decideResume,
};

/**
 * What a power action comes to for a VM and its VMI as they are. KubeVirt's own rules are in
 * docs/kubevirt-user-guide "Run Strategies" and in virt-api's pkg/virt-api/rest/lifecycle.go; whatever they refuse in
 * a state that has passed meanwhile is decided again from what is read then.
 */
export function decidePower({ action, vm, vmi, canReset }: PowerQuestion): PowerDecision {
  if (action === 'DiagnosticInterrupt') {
    return refuse('NotSupported', 'KubeVirt cannot send a virtual machine a non-maskable interrupt');
  }
  if (vm === undefined) return refuse('Unavailable', 'the virtual machine does not exist');
  if (vm.metadata.deletionTimestamp !== undefined) {
    return refuse('Unavailable', 'the virtual machine is being deleted');
  }
  const inputs = powerInputsOf(vm, vmi);
  const templateChanged = inputs.running !== undefined && (!carriesTemplate(inputs.running, vm) || needsRestart(vm));
  return DECIDE[action]({ ...inputs, canReset, templateChanged, hearsReboot: hearsReboot(inputs.running) });
}

function carriesTemplate(vmi: VirtualMachineInstance, vm: VirtualMachine): boolean {
  return carriesOrder(vmi, vm) && carriesSecureBoot(vmi, vm);
}

/** KubeVirt says that the template has something which a guest that runs cannot be given: a CD-ROM drive that was added, say. */
function needsRestart({ status }: VirtualMachine): boolean {
  return status?.conditions?.some(({ type, status: holds }) => type === 'RestartRequired' && holds === 'True') === true;
}

function decideOn({ state, strategy, running, ended, comingBack }: Situation): PowerDecision {
  if (running !== undefined) return state === 'PoweringOff' && !comingBack ? powerOnAfter(running) : NOTHING;
  if (state !== 'Off') return NOTHING;
  // KubeVirt starts a Once VM a single time, and refuses to start one that has run.
  return call(strategy === 'Once' && ended !== undefined ? { runStrategy: 'Always' } : START);
}

function decideOff({ state, strategy, running, comingBack }: Situation, stop: PowerCall): PowerDecision {
  if (state === 'Off') return NOTHING;
  if (running === undefined) {
    // Between two VMIs KubeVirt refuses to stop what it is about to start by itself ("VM is not running").
    return call(strategy === 'Always' || strategy === 'Once' ? { runStrategy: 'Halted' } : stop);
  }
  if (state !== 'PoweringOff') return call(stop);
  // Takes the start off that is queued behind the stop; a Halted VM has none, and refuses.
  if (comingBack && strategy !== 'Halted') return call(stop);
  return stop === CUT && graceSecondsOf(running) > 0 ? call(CUT) : NOTHING;
}

function decideReset(situation: Situation): PowerDecision {
  const { state, canReset, templateChanged } = situation;
  if (state === 'Off' || state === 'PoweringOff' || templateChanged || !canReset) return decideCycle(situation);
  // What has not begun to boot need not begin again; KubeVirt refuses to reset it too.
  return state === 'PoweringOn' ? NOTHING : call({ subresource: 'reset' });
}

/**
 * The guest reboots by itself where it can and that is enough. A reboot keeps the VMI and so boots from what the VM's template said
 * when that was made: where the template says something else by now, and where neither agent nor ACPI tells the guest, it is shut down
 * as by its power button, killed when its grace period is over, and powered on again.
 */
function decideGracefulRestart({ state, running, comingBack, templateChanged, hearsReboot }: Situation): PowerDecision {
  if (state === 'Off') return refuse('InvalidState', IS_OFF);
  if (state === 'Paused')
    return refuse('InvalidState', 'the virtual machine is paused, and cannot hear: resume it first');
  // What has not begun to boot need not begin again.
  if (state === 'PoweringOn' || running === undefined || comingBack) return NOTHING;
  if (state === 'PoweringOff') return powerOnAfter(running);
  return hearsReboot && !templateChanged ? call(SOFT_REBOOT) : { ...powerOnAfter(running), stop: STOP };
}

function decidePause({ state, comingBack }: Situation): PowerDecision {
  switch (state) {
    case 'On':
      return call({ subresource: 'pause' });
    case 'Paused':
      return NOTHING;
    case 'Off':
      return refuse('InvalidState', IS_OFF);
    case 'PoweringOn':
      return refuse('Busy', IS_COMING);
    case 'PoweringOff':
      return comingBack ? refuse('Busy', IS_COMING) : refuse('InvalidState', IS_GOING);
  }
}

function decideResume({ state, comingBack }: Situation): PowerDecision {
  switch (state) {
    case 'Paused':
      return call({ subresource: 'unpause' });
    case 'On':
    case 'PoweringOn':
      return NOTHING;
    case 'Off':
      return refuse('InvalidState', IS_OFF);
    case 'PoweringOff':
      return comingBack ? NOTHING : refuse('InvalidState', IS_GOING);
  }
}

function decideCycle({ state, strategy, running, comingBack }: Situation): PowerDecision {
  if (state === 'Off') return refuse('InvalidState', IS_OFF);
  if (running === undefined || comingBack) return NOTHING;
  const restarts = strategy !== 'Halted' && strategy !== 'Once';
  if (restarts && state !== 'PoweringOff') return call(RESTART);
  const isCut = state === 'PoweringOff' && graceSecondsOf(running) === 0;
  return isCut ? powerOnAfter(running) : { ...powerOnAfter(running), stop: CUT };
}

function call(which: PowerCall): PowerDecision {
  return { do: 'call', call: which };
}

function powerOnAfter(running: VirtualMachineInstance): PowerDecision & { do: 'power on after' } {
  return { do: 'power on after', uid: running.metadata.uid ?? '' };
}

/** KubeVirt asks the agent, and without one presses the ACPI power button; ACPI is on unless the VM says otherwise. */
function hearsReboot(vmi: VirtualMachineInstance | undefined): boolean {
  const hasAgent = vmi?.status?.conditions?.some(({ type, status }) => type === 'AgentConnected' && status === 'True');
  return hasAgent === true || vmi?.spec.domain.features?.acpi?.enabled !== false;
}

function refuse(code: 'Busy' | 'InvalidState' | 'NotSupported' | 'Unavailable', message: string): PowerDecision {
  return { do: 'refuse', code, message };
}
