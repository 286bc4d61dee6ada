import {
  ANNOTATIONS,
  BMC_CONDITIONS,
  LABELS,
  VIRTUAL_MACHINES,
  type BMCState,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import { apiVersionOf, findCondition, type Draft, type KubeObject } from '@groundcrew/controller-runtime';

/** All inputs for one virtual machine, which is not being deleted. */
export interface Inputs {
  vm: KubeObject;
  /** BMCs that name the VM, and the BMC with the name of the VM. */
  bmcs: readonly VirtualMachineBMC[];
  /** The installation gives each VM a BMC. */
  autoProvision: boolean;
  /** Objects that are not of a BMC and have names that the BMC would use: `Secret web-credentials`. */
  taken: readonly string[];
}

export interface Decision {
  create?: Draft<VirtualMachineBMC>;
  /** To be deleted if it still belongs to the manager. */
  remove?: VirtualMachineBMC;
  /** Label of the VM; undefined: none. */
  state: BMCState | undefined;
  /** Why the state is `Failed`, and what to do. */
  complaint?: { reason: string; message: string };
}

/** Computes what is to be done for a virtual machine whose annotation, or whose installation, may request a BMC. */
export function decide(inputs: Inputs): Decision {
  const { vm, bmcs, taken } = inputs;
  const own = bmcs.find((bmc) => isOurs(bmc, vm));
  const wish = wishOf(inputs);
  if (wish === 'Unclear') {
    const value = JSON.stringify(vm.metadata.annotations?.[ANNOTATIONS.bmcEnabled]);
    return failed('InvalidBMCRequest', `Annotation ${ANNOTATIONS.bmcEnabled}: ${value} is neither "true" nor "false".`);
  }
  if (wish === 'No') {
    return { state: undefined, ...(own === undefined || isGoing(own) ? {} : { remove: own }) };
  }
  if (own !== undefined && !isGoing(own)) return stateOf(own);
  // The end of a deletion triggers the next decision.
  if (bmcs.some((bmc) => isGoing(bmc) || isLeft(bmc, vm))) return { state: 'Ongoing' };
  const rival = bmcs.find(({ spec }) => spec.virtualMachineRef.name === vm.metadata.name);
  if (rival !== undefined) return besideTheirs(rival, vm);
  const [namesake] = bmcs;
  if (namesake !== undefined) return notCreated(namesakeMessage(namesake));
  if (taken.length > 0) return notCreated(takenMessage(taken));
  return { create: draftOf(inputs), state: 'Ongoing' };
}

/** The decision after the API server has refused the BMC. */
export function refused(message: string): Decision {
  return notCreated(`The API server refused it: ${message}`);
}

/** Whether the VM would get a BMC if it had none. */
export function isRequested(inputs: Omit<Inputs, 'taken'>): boolean {
  return wishOf(inputs) === 'Yes';
}

type Wish = 'Yes' | 'No' | 'Unclear';

function wishOf({ vm, bmcs, autoProvision }: Omit<Inputs, 'taken'>): Wish {
  const asked = vm.metadata.annotations?.[ANNOTATIONS.bmcEnabled];
  if (asked === 'true') return 'Yes';
  if (asked === 'false') return 'No';
  if (asked !== undefined) return 'Unclear';
  // An upgrade that forgets the value autoProvision must not delete the BMCs of all VMs with their passwords.
  const isKept = bmcs.some((bmc) => isOurs(bmc, vm) && bmc.metadata.annotations?.[ANNOTATIONS.bmcRequestedBy] === AUTO);
  return autoProvision || isKept ? 'Yes' : 'No';
}

const AUTO = 'autoProvision';

/**
 * Whether the manager made the BMC for this VM, and no user has taken it over: by removing the label or the owner, or by applying
 * a manifest.
 */
export function isOurs(bmc: VirtualMachineBMC, vm: KubeObject): boolean {
  const { annotations = {} } = bmc.metadata;
  return isMade(bmc) && ownerUid(bmc) === vm.metadata.uid && annotations[LAST_APPLIED] === undefined;
}

/** Written by `kubectl apply`. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Made for an earlier VM of the same name: garbage collection deletes it. */
function isLeft(bmc: VirtualMachineBMC, vm: KubeObject): boolean {
  const uid = ownerUid(bmc);
  return isMade(bmc) && uid !== undefined && uid !== vm.metadata.uid;
}

function isMade({ metadata }: VirtualMachineBMC): boolean {
  return metadata.labels?.[LABELS.managedBy] === 'groundcrew';
}

function isGoing({ metadata }: VirtualMachineBMC): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Uid of the virtual machine that owns the BMC. */
function ownerUid({ metadata: { ownerReferences = [] } }: VirtualMachineBMC): string | undefined {
  return ownerReferences.find(({ kind, controller }) => kind === VIRTUAL_MACHINES.kind && controller === true)?.uid;
}

function stateOf(bmc: VirtualMachineBMC): Decision {
  const { phase, conditions } = bmc.status ?? {};
  if (phase === 'Ready') return { state: 'Provisioned' };
  if (phase !== 'Failed') return { state: 'Ongoing' };
  const why = findCondition(conditions, BMC_CONDITIONS.ready)?.message ?? 'See its conditions.';
  return failed('BMCFailed', `VirtualMachineBMC ${bmc.metadata.name} does not work: ${why}`);
}

/** The VM has a BMC of a user. That is a problem only if the annotation asks for another one. */
function besideTheirs({ metadata: { name } }: VirtualMachineBMC, vm: KubeObject): Decision {
  if (vm.metadata.annotations?.[ANNOTATIONS.bmcEnabled] === undefined) return { state: undefined };
  return notCreated(
    `The virtual machine has VirtualMachineBMC ${name}, which the manager did not make or a user has taken over. ` +
      `Remove the annotation ${ANNOTATIONS.bmcEnabled}, or delete ${name}.`,
  );
}

function namesakeMessage({ metadata, spec }: VirtualMachineBMC): string {
  const vm = spec.virtualMachineRef.name;
  return (
    `VirtualMachineBMC ${metadata.name}, of VirtualMachine ${vm}, has the name. ` +
    'Write a VirtualMachineBMC with another name for this virtual machine.'
  );
}

function takenMessage(taken: readonly string[]): string {
  return (
    `It would use ${taken.join(' and ')}, which no BMC made. ` +
    'Delete or rename that, or write a VirtualMachineBMC with another name for this virtual machine.'
  );
}

function notCreated(message: string): Decision {
  return failed('BMCNotCreated', message);
}

function failed(reason: string, message: string): Decision {
  return { state: 'Failed', complaint: { reason, message } };
}

function draftOf({ vm, autoProvision }: Inputs): Draft<VirtualMachineBMC> {
  const { namespace = '', name, uid = '', annotations } = vm.metadata;
  const isAuto = autoProvision && annotations?.[ANNOTATIONS.bmcEnabled] === undefined;
  const owner = {
    apiVersion: apiVersionOf(VIRTUAL_MACHINES),
    kind: VIRTUAL_MACHINES.kind,
    name,
    uid,
    controller: true,
  };
  return {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: {
      namespace,
      name,
      labels: { [LABELS.managedBy]: 'groundcrew' },
      annotations: { [ANNOTATIONS.bmcRequestedBy]: isAuto ? AUTO : 'annotation' },
      ownerReferences: [owner],
    },
    spec: { virtualMachineRef: { name } },
  };
}
