import type { JsonObject } from '../json.ts';

/** A CustomResourceDefinition of Widgets in test.io/v1. `spec`: the schema of their spec. */
export function widgets(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.test.io' },
    spec: {
      group: 'test.io',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', ...spec },
                status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
          ...more,
        },
      ],
    },
  };
}

/** A Widget in the namespace default. */
export function widget(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'test.io/v1', kind: 'Widget', metadata: { name, ...metadata }, spec };
}

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const WIDGETS = '/apis/test.io/v1/namespaces/default/widgets';
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

export function configMap(name: string, data: Record<string, string> = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export const MERGE = { contentType: 'application/merge-patch+json' };
export const APPLY = { contentType: 'application/apply-patch+yaml' };
