import { agentName, holdsAgents, type VirtualMachineBMC } from '../../api/index.ts';
import {
  annotationsChanged,
  generationChanged,
  keyOf,
  or,
  source,
  type Deployment,
  type Draft,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { digest } from '../agent-workload/index.ts';
import { agentState, chooseDraft, readNote, type AgentFact, type Fleet } from '../rollout/index.ts';
import { BY_BMC, labelledBmc, namespacedKey, type Caches } from './caches.ts';
import { controllerOf, TEMPLATE_HASH_ANNOTATION } from '../bmc-agent/index.ts';
import { deployment } from './children/deployment.ts';
import type { Inputs } from './inputs.ts';

/** The agents of BMCs, for the roll-out. */
export function bmcFleet(caches: Pick<Caches, 'bmcs' | 'pods' | 'children'>): Fleet {
  const none = (): ObjectRef[] => [{ name: '' }];
  return {
    facts: () => caches.children.deployment.list().flatMap((found) => factOf(found, caches)),
    sources: [
      source(caches.bmcs, none, or(generationChanged, annotationsChanged)),
      source(caches.pods, none),
      source(caches.children.deployment, none),
    ],
  };
}

function factOf(found: Deployment, { bmcs, pods }: Pick<Caches, 'bmcs' | 'pods'>): AgentFact[] {
  const bmc = bmcs.get(labelledBmc(found.metadata));
  const { namespace = '', name, deletionTimestamp } = found.metadata;
  if (bmc === undefined || bmc.metadata.deletionTimestamp !== undefined || deletionTimestamp !== undefined) return [];
  const { uid } = bmc.metadata;
  if (controllerOf(found)?.uid !== uid || name !== agentName(bmc.spec.virtualMachineRef.name)) return [];
  const key = agentKey(bmc);
  return [
    {
      ...{ key, kind: 'bmc', namespace, name, group: key },
      note: readNote(found),
      ...agentState(found, pods.byIndex(BY_BMC, namespacedKey(bmc.metadata)), TEMPLATE_HASH_ANNOTATION),
      isHeld: holdsAgents(bmc),
      isPinned: bmc.spec.agent?.image !== undefined,
    },
  ];
}

/** The key of a BMC's agent in the roll-out. */
export function agentKey({ metadata }: Pick<VirtualMachineBMC, 'metadata'>): string {
  return `bmc ${keyOf(metadata)}`;
}

/** The Deployment that the BMC should have now; undefined: leave it as it is. */
export function wantedDeployment(inputs: Inputs, now: string): Draft<Deployment> | undefined {
  const { bmc, children, pods, turn } = inputs;
  if (turn === undefined) return undefined;
  const existing = children.deployment.standing === 'Absent' ? undefined : children.deployment.object;
  const own = digest(bmc.spec.agent ?? {});
  const render = (settings: Inputs['defaults']): Draft<Deployment> => deployment(bmc, settings);
  return chooseDraft({ existing, hashAnnotation: TEMPLATE_HASH_ANNOTATION, own, pods, render }, turn, now);
}
