import {
  ANNOTATIONS,
  certificateSecretName,
  placementOf,
  type Placement,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import { NAMESPACES, type KubeClient, type ObjectRef, type Service } from '@groundcrew/controller-runtime';
import { credentialsOf } from '../bmc-agent/index.ts';
import { byAge } from '../by-age.ts';
import {
  assignmentOf,
  memberText,
  type Assignment,
  type Assignments,
  type Member,
  type SharedAgents,
} from '../sharedagent/index.ts';
import type { Caches } from './caches.ts';
import type { ChildFact, PlacementFact } from './inputs.ts';

/** What is known of shared agents. */
export interface Shared {
  assignments: Assignments;
  agents: SharedAgents;
  /** Placement of BMCs if neither they nor their namespaces say. */
  placement: Placement;
}

export interface PlacementSources {
  client: KubeClient;
  caches: Pick<Caches, 'bmcs' | 'namespaces' | 'memberSecrets' | 'certificates'>;
  secrets: { read(ref: ObjectRef): Member['credentials'] };
  shared: Shared;
}

/**
 * Where the BMC is to be served. A BMC that is to be shared and has no slot gets one reserved.
 *
 * @param holds whether the BMC holds its virtual machine: a second one is not served
 */
export async function placementFact(
  bmc: VirtualMachineBMC,
  holds: boolean,
  service: ChildFact<Service>,
  sources: PlacementSources,
): Promise<PlacementFact> {
  const { assignments, agents } = sources.shared;
  const { namespace = '', name } = bmc.metadata;
  const ref = { namespace, name };
  const wanted = holds ? await wantedPlacement(bmc, sources) : 'Dedicated';
  const recorded = service.standing === 'Ours' ? assignmentOf(service.object) : undefined;
  if (wanted === 'Dedicated') assignments.forget(ref);
  const isKept = wanted === 'Dedicated' || (recorded !== undefined && !isTaken(bmc, recorded, sources));
  const assignment = isKept ? recorded : assignments.reserve(ref);
  if (assignment === undefined) return { wanted, assignment, agent: undefined, isTold: false };
  const agent = { namespace, name: assignment.agent };
  const isTold = isToldOf(bmc, assignment, sources);
  if (!isTold) assignments.announce(ref);
  return { wanted, assignment, agent: agents.state(agent), isTold };
}

/** Whether the Secret of the agent has the BMC as it is now. */
function isToldOf(bmc: VirtualMachineBMC, { agent, slot }: Assignment, { caches, secrets }: PlacementSources): boolean {
  const { namespace = '', name } = bmc.metadata;
  const told = caches.memberSecrets.get({ namespace, name: agent })?.data?.[name];
  const credentials = secrets.read(credentialsOf(bmc));
  const certificate = caches.certificates.get({ namespace, name: certificateSecretName(name) })?.metadata
    .resourceVersion;
  return told !== undefined && told === memberText({ bmc, slot, credentials, certificate }, told);
}

async function wantedPlacement(
  bmc: VirtualMachineBMC,
  { caches, client, shared }: PlacementSources,
): Promise<Placement> {
  const { spec } = bmc;
  if (spec.placement !== undefined || spec.agent !== undefined) return placementOf(spec, undefined, shared.placement);
  const ref = { name: bmc.metadata.namespace ?? '' };
  // A BMC may be seen before the namespace that was created with it.
  const found = caches.namespaces.get(ref) ?? (await client.find(NAMESPACES, ref));
  return placementOf(spec, found?.metadata.annotations?.[ANNOTATIONS.placement], shared.placement);
}

/** Whether an older BMC has the slot, as a Service says that was edited by hand. */
function isTaken(bmc: VirtualMachineBMC, assignment: Assignment, { caches, shared }: PlacementSources): boolean {
  const { namespace = '', name } = bmc.metadata;
  return shared.assignments.rivals({ namespace, name }, assignment).some((claim) => {
    const rival = caches.bmcs.get(claim.bmc);
    return rival !== undefined && byAge(rival, bmc) < 0;
  });
}
