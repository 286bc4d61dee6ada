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
  /** Read from the API server: a stale cache would show a machine that is powering off as on. */
  vm: VirtualMachine | undefined;
  vmi: VirtualMachineInstance | undefined;
  /** False if this KubeVirt has no `reset`. */
  canReset: boolean;
}

interface Situation extends PowerInputs {
  canReset: boolean;
  /** The VM's template has changed since the machine was powered on; a reset would ignore the change. */
  templateChanged: boolean;
  /** The guest reacts to a request to reboot: it has an agent or ACPI. */
  hearsReboot: boolean;
}

const NOTHING: PowerDecision = { do: 'nothing' };
const START: PowerCall = { subresource: 'start' };
const STOP: PowerCall = { subresource: 'stop' };
const CUT: PowerCall = { subresource: 'stop', gracePeriod: 0 };
const SOFT_REBOOT: PowerCall = { subresource: 'softreboot' };
const RESTART: PowerCall = { subresource: 'restart', gracePeriodSeconds: 0 };
/** Maximum grace period, in seconds, of a guest whose power is being cut. A forced restart of KubeVirt 1.9 leaves 1 s. */
const CUT_SECONDS = 1;

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
 * What a power action requires for a VM and its VMI. KubeVirt's rules are in docs/kubevirt-user-guide "Run Strategies"
 * and in virt-api's pkg/virt-api/rest/lifecycle.go. If KubeVirt refuses because the state has changed, the caller reads
 * the objects and decides again.
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

/** The template has a change that KubeVirt cannot apply to the running guest, such as a new CD-ROM drive. */
function needsRestart({ status }: VirtualMachine): boolean {
  return status?.conditions?.some(({ type, status: holds }) => type === 'RestartRequired' && holds === 'True') === true;
}

function decideOn({ state, strategy, running, ended, comingBack }: Situation): PowerDecision {
  if (running !== undefined) return state === 'PoweringOff' && !comingBack ? powerOnAfter(running) : NOTHING;
  if (state !== 'Off') return NOTHING;
  // KubeVirt refuses to start a Once VM that has run.
  return call(strategy === 'Once' && ended !== undefined ? { runStrategy: 'Always' } : START);
}

function decideOff(situation: Situation, stop: PowerCall): PowerDecision {
  const { state, strategy, running, comingBack, startIsQueued } = situation;
  if (state === 'Off') return NOTHING;
  if (startIsQueued && (strategy === 'Always' || strategy === 'Halted')) return cancelStart(situation, stop);
  if (running === undefined) {
    // KubeVirt refuses to stop a VM that it is about to start itself ("VM is not running").
    return call(strategy === 'Always' || strategy === 'Once' ? { runStrategy: 'Halted' } : stop);
  }
  if (state !== 'PoweringOff') return call(stop);
  // Removes the start that is queued behind the stop. A Halted VM has none and refuses the call.
  if (comingBack && strategy !== 'Halted') return call(stop);
  return stop === CUT && graceSecondsOf(running) > 0 ? call(CUT) : NOTHING;
}

/**
 * A stop makes an Always VM Halted and leaves its queue, and KubeVirt makes a Halted VM with a queued start Always again.
 * Only the stop of a Halted VM replaces the queue. KubeVirt accepts it with a shorter grace period than that of the VMI.
 */
function cancelStart({ strategy, running }: Situation, stop: PowerCall): PowerDecision {
  if (running === undefined) return { do: 'wait' };
  const grace = graceSecondsOf(running);
  if (strategy === 'Always') {
    const first: PowerCall = stop === CUT || grace === 0 ? { subresource: 'stop', gracePeriod: 1 } : STOP;
    return { do: 'call', call: first, isFirst: true };
  }
  if (grace === 0) return { do: 'wait' };
  return call(stop === CUT ? CUT : { subresource: 'stop', gracePeriod: grace - 1 });
}

function decideReset(situation: Situation): PowerDecision {
  const { state, canReset, templateChanged } = situation;
  if (state === 'Off' || state === 'PoweringOff' || templateChanged || !canReset) return decideCycle(situation);
  // The guest has not booted yet. KubeVirt would also refuse to reset it.
  return state === 'PoweringOn' ? NOTHING : call({ subresource: 'reset' });
}

/**
 * The guest reboots itself if possible. A reboot keeps the VMI, and so the template from which the VMI was created. If the
 * template has changed since, or if the guest has neither agent nor ACPI, it is shut down as by its power button, killed
 * after its grace period, and powered on again.
 */
function decideGracefulRestart({ state, running, comingBack, templateChanged, hearsReboot }: Situation): PowerDecision {
  if (state === 'Off' && !comingBack) return refuse('InvalidState', IS_OFF);
  if (state === 'Paused')
    return refuse('InvalidState', 'the virtual machine is paused and cannot react: resume it first');
  // The guest has not booted yet.
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
      return comingBack ? refuse('Busy', IS_COMING) : refuse('InvalidState', IS_OFF);
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
      return comingBack ? NOTHING : refuse('InvalidState', IS_OFF);
    case 'PoweringOff':
      return comingBack ? NOTHING : refuse('InvalidState', IS_GOING);
  }
}

/** Also cuts a guest that is shutting down before its machine comes back by itself: the client waits for a boot now. */
function decideCycle({ state, strategy, running, comingBack }: Situation): PowerDecision {
  if (state === 'Off' && !comingBack) return refuse('InvalidState', IS_OFF);
  if (running === undefined) return NOTHING;
  const restarts = strategy !== 'Halted' && strategy !== 'Once';
  if (restarts && state !== 'PoweringOff') return call(RESTART);
  const isCut = state === 'PoweringOff' && graceSecondsOf(running) <= CUT_SECONDS;
  if (!isCut) return { ...powerOnAfter(running), stop: CUT };
  return comingBack ? NOTHING : powerOnAfter(running);
}

function call(which: PowerCall): PowerDecision {
  return { do: 'call', call: which };
}

function powerOnAfter(running: VirtualMachineInstance): PowerDecision & { do: 'power on after' } {
  return { do: 'power on after', uid: running.metadata.uid ?? '' };
}

/** KubeVirt asks the agent, or without one presses the ACPI power button. ACPI is on by default. */
function hearsReboot(vmi: VirtualMachineInstance | undefined): boolean {
  const hasAgent = vmi?.status?.conditions?.some(({ type, status }) => type === 'AgentConnected' && status === 'True');
  return hasAgent === true || vmi?.spec.domain.features?.acpi?.enabled !== false;
}

function refuse(code: 'Busy' | 'InvalidState' | 'NotSupported' | 'Unavailable', message: string): PowerDecision {
  return { do: 'refuse', code, message };
}
