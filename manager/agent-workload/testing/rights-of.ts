import type { Role } from '@groundcrew/controller-runtime';

/** The rights that a Role grants, one line for each resource: `get,patch secrets web-creds`; without a name for all objects. */
export function rightsOf({ rules = [] }: Pick<Role, 'rules'>): string[] {
  return rules
    .flatMap(({ apiGroups = [], resources = [], resourceNames = [], verbs }) =>
      resources.map((resource) =>
        [verbs, [...apiGroups, resource].join('/').replace(/^\//, ''), resourceNames].join(' '),
      ),
    )
    .map((line) => line.trim());
}
