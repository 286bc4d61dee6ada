/** What can be done with built-in kinds. */
export const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
/** And with custom resources, in the order in which they are named there. */
export const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
export const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A CustomResourceDefinition of Gadgets, with all that discovery can tell of one. */
export function gadgets(group: string): object {
  const version = (name: string, more: object) => ({
    name,
    served: true,
    storage: false,
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    ...more,
  });
  return {
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: {
        plural: 'gadgets',
        singular: 'gadget',
        kind: 'Gadget',
        listKind: 'GadgetList',
        shortNames: ['gd', 'gdt'],
        categories: ['toys'],
      },
      versions: [
        version('v1alpha1', { served: false }),
        version('v1beta1', {}),
        version('v1', { storage: true, subresources: { status: {} } }),
        version('v2alpha3', {}),
      ],
    },
  };
}
