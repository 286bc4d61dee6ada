import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { Draft, ServiceAccount } from '@groundcrew/controller-runtime';
import { childMetadata } from './child-metadata.ts';

/** The agent's identity. Only the agent's own pod mounts its token; a pod that only refers to it gets none. */
export function serviceAccount(bmc: VirtualMachineBMC): Draft<ServiceAccount> {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: childMetadata(bmc),
    automountServiceAccountToken: false,
  };
}
