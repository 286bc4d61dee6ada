import { LABELS } from '../../../api/index.ts';
import type { ObjectRef } from '@groundcrew/controller-runtime';
import type { WorkloadMetadata } from '../../agent-workload/index.ts';

/** Labels that select the pods of a shared agent. */
export function sharedAgentSelector(agent: string): Record<string, string> {
  return { [LABELS.sharedAgent]: agent, [LABELS.component]: 'bmc-agent' };
}

/** Metadata of every object of a shared agent. It has no owner: the manager deletes it after its last BMC. */
export function sharedAgentMetadata({ namespace, name }: Required<ObjectRef>): WorkloadMetadata {
  return {
    name,
    namespace,
    labels: { ...sharedAgentSelector(name), [LABELS.name]: 'groundcrew', [LABELS.managedBy]: 'groundcrew' },
    ownerReferences: [],
  };
}
