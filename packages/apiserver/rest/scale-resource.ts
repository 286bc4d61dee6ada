import type { Resource } from '../resources/index.ts';
import { scaleColumns } from '../tables/index.ts';

/** A resource's scale as if it were a resource itself, for the representations that are asked for of it. */
export function scaleResource(resource: Resource): Resource {
  return {
    ...resource,
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    listKind: 'ScaleList',
    collection: `${resource.collection}/scale`,
    custom: false,
    columns: scaleColumns,
  };
}
