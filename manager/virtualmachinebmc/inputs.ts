import type { BMCDefaults, VirtualMachineBMC } from '../../api/index.ts';
import type { KubeObject, Pod } from '@groundcrew/controller-runtime';
import type { Issuer } from '../authority/index.ts';
import type { AgentSettings } from '../children/index.ts';
import type { ChildName, ChildObjects } from './children/children.ts';

/** All that is evaluated, read in one go: what should be, and what is so, follow from it alone. */
export interface Inputs {
  bmc: VirtualMachineBMC;
  /** All BMCs that name the same virtual machine, this one among them. */
  claimants: readonly VirtualMachineBMC[];
  virtualMachine: VirtualMachineFact;
  secret: SecretFact;
  certificate: CertificateFact;
  children: ChildInputs;
  /** What this BMC owns under names, or of kinds, that it should not have (any more). */
  strays: readonly Stray[];
  /** The agent's pods, of every template. */
  pods: readonly Pod[];
  defaults: AgentSettings;
  bmcDefaults: BMCDefaults;
  /** What the API server refused when the children were applied to it in this pass. */
  refusals: readonly Refusal[];
}

/** `Unread`: not known yet. `KubeVirtAbsent`: the cluster does not know virtual machines. */
export type VirtualMachineFact = 'Unread' | 'KubeVirtAbsent' | 'Missing' | 'Found';

/** The Secret with the credentials. */
export interface SecretFact {
  name: string;
  /** Nobody named one: it is ours to make. */
  generated: boolean;
  state: 'Unread' | 'Missing' | 'Found';
  /** Its data, base64. */
  data?: Readonly<Record<string, string>>;
}

/** What is known of the certificate that the BMC shows over HTTPS. */
export interface CertificateFact {
  /** The Secret that the spec names; absent: it names none. */
  named?: NamedCertificate;
  /** The Secret that the agent reads. `Left`: of a BMC that is gone. `Theirs`: not to be touched. */
  held:
    | { standing: 'Absent' | 'Unread' }
    | { standing: 'Ours' | 'Left'; uid: string; data: Readonly<Record<string, string>> }
    | { standing: 'Theirs'; owner: string };
  /** The installation's; undefined while it is not known. */
  authority: Issuer | undefined;
  /** What all certificates name besides. */
  names: readonly string[];
  /** DNS domain of the cluster's Services. */
  clusterDomain: string;
}

export interface NamedCertificate {
  name: string;
  state: 'Unread' | 'Missing' | 'Found';
  /** Its data, base64. */
  data?: Readonly<Record<string, string>>;
}

/**
 * Who owns what bears the name of a child. `Left`: a BMC that is gone. `Theirs`: another BMC, or nobody or anything
 * else: not to be touched.
 */
export type ChildFact<T extends KubeObject> =
  | { standing: 'Absent' }
  | { standing: 'Ours' | 'Left'; object: T }
  | { standing: 'Theirs'; object: T; owner: string };

export type ChildInputs = { [K in ChildName]: ChildFact<ChildObjects[K]> };

export type Stray = { child: ChildName | 'credentials'; object: KubeObject };

export interface Refusal {
  child: ChildName | 'credentials' | 'certificate';
  /** Kind and name. */
  object: string;
  /** The server's own sentence. */
  message: string;
}
