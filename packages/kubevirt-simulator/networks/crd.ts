import {
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
  type Draft,
  type KubeClient,
} from '@groundcrew/controller-runtime';

/** Multus' own (`deployments/multus-daemonset.yml`). */
const NETWORK_ATTACHMENT_DEFINITION_CRD: Draft<CustomResourceDefinition> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'network-attachment-definitions.k8s.cni.cncf.io' },
  spec: {
    group: 'k8s.cni.cncf.io',
    scope: 'Namespaced',
    names: {
      plural: 'network-attachment-definitions',
      singular: 'network-attachment-definition',
      kind: 'NetworkAttachmentDefinition',
      listKind: 'NetworkAttachmentDefinitionList',
      shortNames: ['net-attach-def'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            description:
              'NetworkAttachmentDefinition is a CRD schema specified by the Network Plumbing Working Group to express ' +
              'the intent for attaching pods to one or more logical or physical networks. More information available ' +
              'at: https://github.com/k8snetworkplumbingwg/multi-net-spec',
            type: 'object',
            properties: {
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object' },
              spec: {
                description: 'NetworkAttachmentDefinition spec defines the desired state of a network attachment',
                type: 'object',
                properties: {
                  config: {
                    description: 'NetworkAttachmentDefinition config is a JSON-formatted CNI configuration',
                    type: 'string',
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** Makes net-attach-defs known to the API server, as an installation of Multus does. */
export async function registerNetworks(client: KubeClient): Promise<void> {
  await client.apply(CUSTOM_RESOURCE_DEFINITIONS, NETWORK_ATTACHMENT_DEFINITION_CRD, { force: true });
}
