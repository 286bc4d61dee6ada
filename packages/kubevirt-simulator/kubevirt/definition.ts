import type { CustomResourceDefinition, Draft } from '@groundcrew/controller-runtime';

/** A structural OpenAPI v3 schema. */
export type Schema = Record<string, unknown>;

/** An object whose fields are all kept. */
export const OPEN: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export interface DefinitionOptions {
  group: string;
  version: string;
  kind: string;
  plural: string;
  /** Default: the kind in lower case. */
  singular?: string;
  scope: 'Namespaced' | 'Cluster';
  description: string;
  shortNames?: string[];
  categories?: string[];
  columns?: { name: string; type: string; jsonPath: string; description?: string; priority?: number }[];
  spec?: Schema;
  status?: Schema;
  /** Whether it has the status subresource. */
  statusSubresource?: boolean;
  required?: string[];
}

/** A CustomResourceDefinition with one version. */
export function definition(options: DefinitionOptions): Draft<CustomResourceDefinition> {
  const { group, version, kind, plural, scope, description, shortNames, categories, columns } = options;
  const { spec = OPEN, status, statusSubresource = false, required = ['spec'] } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { [group]: '' } },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: options.singular ?? kind.toLowerCase(),
        ...(shortNames === undefined ? {} : { shortNames }),
        ...(categories === undefined ? {} : { categories }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(columns === undefined ? {} : { additionalPrinterColumns: columns }),
          ...(statusSubresource ? { subresources: { status: {} } } : {}),
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description,
              ...(required.length === 0 ? {} : { required }),
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec,
                ...(status === undefined ? {} : { status }),
              },
            },
          },
        },
      ],
    },
  };
}
