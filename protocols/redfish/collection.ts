import type { Resource } from './resource.ts';
import { link } from './uris.ts';

type Members = NonNullable<Resource['members']>;

/** A collection; `members` is called for each request. @param schema `ChassisCollection` */
export function collection(schema: string, name: string, members: Members): Resource {
  return {
    type: `${schema}.${schema}`,
    read: () => ({ Name: name, Members: members().map(({ uri }) => link(uri)) }),
    members,
  };
}
