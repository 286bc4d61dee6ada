import type { CustomResource, PrinterColumn } from './custom-resources.ts';
import { structuralSchema, type StructuralSchema } from './structural-schema.ts';

/** The used part of an apiextensions.k8s.io/v1 CustomResourceDefinition. */
export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: { name: string };
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: {
      kind: string;
      listKind: string;
      plural: string;
      singular: string;
      shortNames: string[];
      categories: string[];
    };
    versions: {
      name: string;
      served: true;
      storage: true;
      schema: { openAPIV3Schema: StructuralSchema };
      subresources: { status: Record<string, never> };
      additionalPrinterColumns: PrinterColumn[];
    }[];
  };
}

/** `kubectl get groundcrew` shows objects of all kinds of this category. */
const CATEGORY = 'groundcrew';

/**
 * The CustomResourceDefinition of a kind.
 *
 * @throws StructuralSchemaError
 */
export function customResourceDefinition(resource: CustomResource): CustomResourceDefinition {
  const { group, version, kind, plural, namespaced } = resource.kind;
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        shortNames: resource.shortNames,
        categories: [CATEGORY],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: objectSchema(resource) },
          subresources: { status: {} },
          additionalPrinterColumns: resource.columns,
        },
      ],
    },
  };
}

/** The schema with the common fields of all objects first. */
export function objectSchema(resource: CustomResource): StructuralSchema {
  const schema = structuralSchema(resource.schema);
  return {
    ...schema,
    properties: {
      apiVersion: { description: `${resource.kind.group}/${resource.kind.version}`, type: 'string' },
      kind: { description: resource.kind.kind, type: 'string' },
      metadata: { type: 'object' },
      ...schema.properties,
    },
  };
}
