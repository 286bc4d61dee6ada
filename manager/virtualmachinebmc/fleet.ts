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
import { agentState, ChangedFacts, chooseDraft, readNote, type AgentFact, type Fleet } from '../rollout/index.ts';
import { BY_BMC, BY_OWNER, labelledBmc, namespacedKey, type Caches } from './caches.ts';
import { controllerOf, TEMPLATE_HASH_ANNOTATION } from '../bmc-agent/index.ts';
import { deployment } from './children/deployment.ts';
import type { Inputs } from './inputs.ts';

/** The agents of BMCs, for the roll-out. */
export function bmcFleet(caches: Pick<Caches, 'bmcs' | 'pods' | 'children'>): Fleet {
  const facts = new ChangedFacts((ref) => factsOf(ref, caches));
  const changed = (ref: ObjectRef): ObjectRef[] => {
    facts.changed(ref);
    return [ref];
  };
  return {
    facts: () => facts.read(),
    sources: [
      source(caches.bmcs, ({ metadata }) => changed(metadata), or(generationChanged, annotationsChanged)),
      source(caches.pods, ({ metadata }) => changed(labelledBmc(metadata))),
      source(caches.children.deployment, (found) => {
        const { namespace = '' } = found.metadata;
        return changed({ namespace, name: controllerOf(found)?.name ?? '' });
      }),
    ],
  };
}

function factsOf(ref: ObjectRef, { bmcs, pods, children }: Pick<Caches, 'bmcs' | 'pods' | 'children'>): AgentFact[] {
  const bmc = bmcs.get(ref);
  const { uid, deletionTimestamp } = bmc?.metadata ?? {};
  if (bmc === undefined || uid === undefined || deletionTimestamp !== undefined) return [];
  const key = agentKey(bmc);
  return children.deployment
    .byIndex(BY_OWNER, uid)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ metadata }) => metadata.name === agentName(bmc.spec.virtualMachineRef.name))
    .map((found) => ({
      ...{ key, kind: 'bmc', namespace: found.metadata.namespace ?? '', name: found.metadata.name, group: key },
      note: readNote(found),
      ...agentState(found, pods.byIndex(BY_BMC, namespacedKey(bmc.metadata)), TEMPLATE_HASH_ANNOTATION),
      isHeld: holdsAgents(bmc),
      isPinned: bmc.spec.agent?.image !== undefined,
    }));
}

/** The BMC of an agent's key. */
export function bmcOfKey(key: string): ObjectRef | undefined {
  const [, namespace, name] = /^bmc ([^/]*)\/(.+)$/.exec(key) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
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
