import { apiVersionOf, type Draft } from '@groundcrew/controller-runtime';
import { NETWORK_ATTACHMENT_DEFINITIONS, type NetworkAttachmentDefinition } from '../../../../api/index.ts';
import { agentMetadata, type Scope } from './scope.ts';
import { RESOURCE_ANNOTATION } from './placement.ts';

/** The net-attach-def of one agent: a copy of the network's own with static addresses. */
export function attachment(scope: Scope, index: number, config: string): Draft<NetworkAttachmentDefinition> {
  const metadata = agentMetadata(scope, index);
  const resource = scope.attachment.metadata.annotations?.[RESOURCE_ANNOTATION];
  return {
    apiVersion: apiVersionOf(NETWORK_ATTACHMENT_DEFINITIONS),
    kind: NETWORK_ATTACHMENT_DEFINITIONS.kind,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, ...(resource === undefined ? {} : { [RESOURCE_ANNOTATION]: resource }) },
    },
    spec: { config },
  };
}
