import type { Draft, ServiceAccount } from '@groundcrew/controller-runtime';
import { agentMetadata, type Scope } from './scope.ts';

/** The agent's identity. Only the agent's own pod mounts its token; a pod that only refers to it gets none. */
export function serviceAccount(scope: Scope, index: number): Draft<ServiceAccount> {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: agentMetadata(scope, index),
    automountServiceAccountToken: false,
  };
}
