import type { BMCDefaults, Placement, VirtualMachineBMC } from '../../api/index.ts';
import type { KubeObject, ObjectRef, Pod } from '@groundcrew/controller-runtime';
import type { Issuer } from '../authority/index.ts';
import type { AgentSettings, Removal } from '../agent-workload/index.ts';
import type { Turn } from '../rollout/index.ts';
import type { Assignment, SharedAgentState } from '../sharedagent/index.ts';
import type { ChildName, ChildObjects } from './children/children.ts';

/** All inputs for one BMC, read at one time; everything is computed from them alone. */
export interface Inputs {
  bmc: VirtualMachineBMC;
  /** All BMCs that name the same virtual machine, including this one. */
  claimants: readonly VirtualMachineBMC[];
  virtualMachine: VirtualMachineFact;
  /** Virtual machines that the BMC has changed and no longer names; undefined: not known yet. */
  formerMachines: readonly ObjectRef[] | undefined;
  secret: SecretFact;
  certificate: CertificateFact;
  children: ChildInputs;
  placement: PlacementFact;
  /** Children of this BMC with wrong names or of wrong kinds. */
  strays: readonly Stray[];
  /** The agent's pods of all templates. */
  pods: readonly Pod[];
  /** What the roll-out allows the agent; undefined: not known yet. */
  turn: Turn | undefined;
  defaults: AgentSettings;
  bmcDefaults: BMCDefaults;
  /** The API server's rejections of children in this pass. */
  refusals: readonly Refusal[];
  /** Another controller undoes the manager's writes again and again. */
  isContested: boolean;
}

/** Where the BMC is to be served. */
export interface PlacementFact {
  wanted: Placement;
  /** The slot in a shared agent: that of its Service, or one that is reserved for it. Undefined with `Shared`: there is no room. */
  assignment: Assignment | undefined;
  /** What that agent shows; undefined: not known yet. */
  agent: SharedAgentState | undefined;
  /** Whether the agent has been told of the BMC. */
  isTold: boolean;
}

/** `Unread`: not known yet. `KubeVirtAbsent`: the cluster does not have the resource. */
export type VirtualMachineFact = 'Unread' | 'KubeVirtAbsent' | 'Missing' | 'Found';

/** The Secret with the credentials. */
export interface SecretFact {
  name: string;
  /** The spec names none, so the manager generates it. */
  generated: boolean;
  state: 'Unread' | 'Missing' | 'Found';
  /** Its data, base64. */
  data?: Readonly<Record<string, string>>;
}

/** The state of the BMC's HTTPS certificate. */
export interface CertificateFact {
  /** The Secret that the spec names, if any. */
  named?: NamedCertificate;
  /** The Secret that the agent reads. `Left`: of a deleted BMC. `Theirs`: of another owner; not changed. */
  held:
    | { standing: 'Absent' | 'Unread' }
    | { standing: 'Ours' | 'Left'; uid: string; data: Readonly<Record<string, string>> }
    | { standing: 'Theirs'; owner: string };
  /** The installation's authority; undefined while unknown. */
  authority: Issuer | undefined;
  /** Additional names in all certificates. */
  names: readonly string[];
  /** DNS domain of the cluster's Services. */
  clusterDomain: string;
  /** Domains whose names BMCs may have. */
  allowedDNSSuffixes: readonly string[];
}

export interface NamedCertificate {
  name: string;
  state: 'Unread' | 'Missing' | 'Found';
  /** Its data, base64. */
  data?: Readonly<Record<string, string>>;
}

/**
 * Ownership of the object with the name of a child. `Left`: of a deleted BMC. `OtherController`: made for this BMC by KubeVirtBMC.
 * `Theirs`: of another BMC, of anything else, or without owner. The last two are not changed.
 */
export type ChildFact<T extends KubeObject> =
  | { standing: 'Absent' }
  | { standing: 'Ours' | 'Left' | 'OtherController'; object: T }
  | { standing: 'Theirs'; object: T; owner: string };

export type ChildInputs = { [K in ChildName]: ChildFact<ChildObjects[K]> };

export type Stray = Removal<ChildName | 'credentials'>;

export interface Refusal {
  child: ChildName | 'credentials' | 'certificate';
  /** Kind and name. */
  object: string;
  /** The server's message. */
  message: string;
}
