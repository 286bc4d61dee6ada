import type { IPPool, NetworkAttachmentDefinition } from '../../../api/index.ts';
import type { AgentSettings } from '../../agent-workload/index.ts';
import type { Scope } from '../agents/children/scope.ts';
import { aPool } from './pool.ts';

export const IMAGE = 'registry.example/groundcrew:1';

export interface ScopeFields {
  pools?: readonly IPPool[];
  settings?: Partial<AgentSettings>;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}

/** The network `vms/lan` with the pool `pool`; the fields override it. */
export function aScope({ pools = [aPool()], settings, annotations = {}, labels = {} }: ScopeFields = {}): Scope {
  return {
    network: { namespace: 'vms', name: 'lan' },
    attachment: anAttachment(annotations, labels),
    pools,
    settings: { image: IMAGE, ...settings },
  };
}

export function anAttachment(
  annotations: Record<string, string> = {},
  labels: Record<string, string> = {},
): NetworkAttachmentDefinition {
  return {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name: 'lan', namespace: 'vms', annotations, labels },
    spec: { config: '{"type":"bridge","bridge":"br0"}' },
  };
}
