import {
  agentName,
  BMC_CONDITIONS,
  BMC_REASONS,
  certificateSecretName,
  credentialsSecretName,
  LABELS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINES,
  type BMCDefaults,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import {
  findCondition,
  SECRETS,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
  type OwnerReference,
  type Service,
} from '@groundcrew/controller-runtime';
import {
  BY_BMC,
  BY_OWNER,
  BY_VIRTUAL_MACHINE,
  formerMachinesOf,
  namespacedKey,
  virtualMachineOf,
  type Caches,
} from './caches.ts';
import { CHILD_NAMES, type ChildName } from './children/children.ts';
import type { NamePolicy } from './certificate-names.ts';
import type { AgentSettings } from '../agent-workload/index.ts';
import type { Gate } from '../rollout/index.ts';
import { agentKey } from './fleet.ts';
import type { Authority } from '../authority/index.ts';
import { APPLIED_ANNOTATION, controllerOf, credentialsOf } from '../bmc-agent/index.ts';
import type {
  CertificateFact,
  ChildFact,
  ChildInputs,
  Inputs,
  NamedCertificate,
  SecretFact,
  Stray,
  VirtualMachineFact,
} from './inputs.ts';
import { isHolder } from './conditions/virtual-machine.ts';
import type { KnownObjects, Known, KnownName } from './known-objects.ts';
import type { NamedSecrets } from './named-secrets.ts';
import { placementFact, type PlacementSources } from './placement.ts';

export interface Sources extends PlacementSources {
  caches: Caches;
  known: KnownObjects;
  /** The Secrets that BMCs name: their credentials and certificates. */
  secrets: NamedSecrets;
  authority: Pick<Authority, 'current' | 'subscribe'>;
  /** Additional names in all certificates. */
  certificateNames: readonly string[];
  namePolicy: NamePolicy;
  /** What the roll-out allows. */
  gate: Pick<Gate, 'turn' | 'subscribe'>;
  defaults: AgentSettings;
  bmcDefaults: BMCDefaults;
}

/**
 * Reads all inputs for one BMC: from caches, from the API server Secrets that have changed, and objects that are not as the caches have
 * them.
 *
 * @returns undefined if the BMC does not exist
 */
export async function loadInputs(ref: ObjectRef, sources: Sources): Promise<Inputs | undefined> {
  const { client, caches, known, secrets, gate, defaults, bmcDefaults } = sources;
  const bmc = await known.find('bmc', ref, client);
  const named =
    bmc === undefined ? [] : [credentialsOf(bmc), namedCertificateOf(bmc)].filter((each) => each !== undefined);
  secrets.want(ref, named);
  if (bmc === undefined) return undefined;
  await Promise.all(named.map((each) => secrets.load(each)));
  const claimants = caches.bmcs.byIndex(BY_VIRTUAL_MACHINE, namespacedKey(virtualMachineOf(bmc)));
  const holds = isHolder(bmc, claimants);
  const service = holds ? await childFact(bmc, 'service', sources) : ({ standing: 'Absent' } as const);
  const placement = await placementFact(bmc, holds, service, sources);
  return {
    bmc,
    claimants,
    placement,
    virtualMachine: await virtualMachineFact(bmc, sources),
    formerMachines: formerMachinesOf(bmc, caches),
    secret: secretFact(bmc, secrets),
    certificate: await certificateFact(bmc, sources),
    children: holds ? await childInputs(bmc, service, sources) : NO_CHILDREN,
    strays: [...strayChildren(bmc, holds, caches), ...(await formerCredentials(bmc, sources))],
    pods: caches.pods.byIndex(BY_BMC, namespacedKey(ref)),
    turn: gate.turn('bmc', agentKey(bmc)),
    defaults,
    bmcDefaults,
    refusals: [],
    isContested: false,
  };
}

/** The Secret with a certificate that the spec names. */
function namedCertificateOf({ metadata, spec }: VirtualMachineBMC): ObjectRef | undefined {
  const name = spec.redfish?.tls?.secretRef?.name;
  return name === undefined ? undefined : { namespace: metadata.namespace ?? '', name };
}

const NO_CHILDREN: ChildInputs = {
  serviceAccount: { standing: 'Absent' },
  role: { standing: 'Absent' },
  roleBinding: { standing: 'Absent' },
  service: { standing: 'Absent' },
  deployment: { standing: 'Absent' },
};

async function virtualMachineFact(bmc: VirtualMachineBMC, { caches, client }: Sources): Promise<VirtualMachineFact> {
  const { virtualMachines } = caches;
  if (virtualMachines.absent) return 'KubeVirtAbsent';
  if (!virtualMachines.hasSynced) return 'Unread';
  const ref = virtualMachineOf(bmc);
  if (virtualMachines.get(ref) !== undefined) return 'Found';
  // A BMC may be seen before the virtual machine that was created with it. Ask the server before it is reported as missing.
  const condition = findCondition(bmc.status?.conditions, BMC_CONDITIONS.virtualMachineAvailable);
  if (condition?.reason === BMC_REASONS.virtualMachineNotFound) return 'Missing';
  return (await client.find(VIRTUAL_MACHINES, ref)) === undefined ? 'Missing' : 'Found';
}

function secretFact(bmc: VirtualMachineBMC, secrets: NamedSecrets): SecretFact {
  const ref = credentialsOf(bmc);
  const known = secrets.read(ref);
  return {
    name: ref.name,
    generated: bmc.spec.authSecretRef === undefined,
    state: known.state,
    ...(known.state === 'Found' ? { data: known.secret.data ?? {} } : {}),
  };
}

async function certificateFact(bmc: VirtualMachineBMC, sources: Sources): Promise<CertificateFact> {
  const { secrets, authority, certificateNames, namePolicy } = sources;
  const ref = namedCertificateOf(bmc);
  return {
    ...(ref === undefined ? {} : { named: namedCertificate(ref, secrets) }),
    held: await heldCertificate(bmc, sources),
    authority: authority.current,
    names: certificateNames,
    ...namePolicy,
  };
}

function namedCertificate(ref: ObjectRef, secrets: NamedSecrets): NamedCertificate {
  const known = secrets.read(ref);
  return {
    name: ref.name,
    state: known.state,
    ...(known.state === 'Found' ? { data: known.secret.data ?? {} } : {}),
  };
}

async function heldCertificate(bmc: VirtualMachineBMC, sources: Sources): Promise<CertificateFact['held']> {
  const name = certificateSecretName(bmc.metadata.name);
  const fact = await childFact(bmc, 'certificate', sources, name);
  if (fact.standing === 'Absent' || fact.standing === 'Theirs') return fact;
  if (fact.standing === 'OtherController') return { standing: 'Theirs', owner: 'another controller of this BMC' };
  const { metadata, data = {} } = fact.object;
  return { standing: fact.standing, uid: metadata.uid ?? '', data };
}

async function childInputs(
  bmc: VirtualMachineBMC,
  service: ChildFact<Service>,
  sources: Sources,
): Promise<ChildInputs> {
  const [serviceAccount, role, roleBinding, deployment] = await Promise.all([
    childFact(bmc, 'serviceAccount', sources),
    childFact(bmc, 'role', sources),
    childFact(bmc, 'roleBinding', sources),
    childFact(bmc, 'deployment', sources),
  ]);
  return { serviceAccount, role, roleBinding, service, deployment };
}

async function childFact<K extends KnownName>(
  bmc: VirtualMachineBMC,
  child: K,
  { known, client }: Sources,
  name = agentName(bmc.spec.virtualMachineRef.name),
): Promise<ChildFact<Known[K]>> {
  const object = await known.find(child, { namespace: bmc.metadata.namespace ?? '', name }, client);
  if (object === undefined) return { standing: 'Absent' };
  const owner = controllerOf(object);
  if (owner !== undefined && owner.uid === bmc.metadata.uid) {
    return { standing: isOfAnotherController(object) ? 'OtherController' : 'Ours', object };
  }
  if (owner !== undefined && (await isGone(owner, bmc, client))) return { standing: 'Left', object };
  return { standing: 'Theirs', object, owner: owner === undefined ? 'no BMC' : `${owner.kind} ${owner.name}` };
}

/**
 * Whether KubeVirtBMC created the Deployment or Service: it gives them the BMC's label and owner reference, too. They cannot be
 * changed into ours, and while it runs it would change them back.
 */
function isOfAnotherController({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean {
  const isOurs = labels[LABELS.managedBy] === 'groundcrew' || annotations[APPLIED_ANNOTATION] !== undefined;
  return labels[LABELS.bmc] !== undefined && !isOurs;
}

/** Whether the owner was a BMC that no longer exists. Asks the server: the cache may not have a new BMC yet. */
async function isGone(owner: OwnerReference, bmc: VirtualMachineBMC, client: KubeClient): Promise<boolean> {
  const { group, kind } = VIRTUAL_MACHINE_BMCS;
  if (owner.kind !== kind || !owner.apiVersion.startsWith(`${group}/`)) return false;
  const found = await client.find(VIRTUAL_MACHINE_BMCS, {
    namespace: bmc.metadata.namespace ?? '',
    name: owner.name,
  });
  return found?.metadata.uid !== owner.uid;
}

/** Children with another name than desired, or of a BMC that should have none. */
function strayChildren(bmc: VirtualMachineBMC, holds: boolean, { children }: Caches): Stray[] {
  const name = agentName(bmc.spec.virtualMachineRef.name);
  return CHILD_NAMES.flatMap((child: ChildName) =>
    children[child]
      .refsByIndex(BY_OWNER, bmc.metadata.uid ?? '')
      .filter((ref) => !holds || ref.name !== name)
      .flatMap((ref) => {
        const object = children[child].get(ref);
        return object === undefined ? [] : [{ child, object }];
      }),
  );
}

/** The generated Secret that the spec has replaced. Looked up once per generation of the spec; for the first one there was nothing to replace. */
async function formerCredentials(bmc: VirtualMachineBMC, { client }: Sources): Promise<Stray[]> {
  const { metadata, spec, status } = bmc;
  const name = credentialsSecretName(metadata.name);
  if (spec.authSecretRef === undefined || spec.authSecretRef.name === name) return [];
  if (status?.observedGeneration === undefined || status.observedGeneration === metadata.generation) return [];
  const secret = await client.find(SECRETS, { namespace: metadata.namespace ?? '', name });
  if (secret === undefined || controllerOf(secret)?.uid !== metadata.uid) return [];
  return [{ child: 'credentials', object: secret }];
}
