import type { Role } from '../../../accounts.ts';
import { collection } from '../../collection.ts';
import { ROLE_PRIVILEGES } from '../../privileges/index.ts';
import type { Resource } from '../../resource.ts';
import { ROLES } from '../../uris.ts';

/** The roles of DSP0266 §13.2.8. They are the only ones and cannot be changed. */
export const PREDEFINED_ROLES: readonly Role[] = ['Administrator', 'Operator', 'ReadOnly'];

export function roleCollection(): Resource {
  return collection('RoleCollection', 'Roles', () =>
    PREDEFINED_ROLES.map((name) => ({ uri: `${ROLES}/${name}`, resource: roleResource(name) })),
  );
}

/** The role with this ID; undefined if it does not exist. */
export function role(id: string): Resource | undefined {
  const name = PREDEFINED_ROLES.find((known) => known === id);
  return name === undefined ? undefined : roleResource(name);
}

function roleResource(name: Role): Resource {
  return {
    type: 'Role.v1_3_3.Role',
    read: () => ({
      Id: name,
      RoleId: name,
      Name: 'User Role',
      Description: `What accounts with the role ${name} may do`,
      IsPredefined: true,
      Restricted: false,
      AssignedPrivileges: ROLE_PRIVILEGES[name],
      OemPrivileges: [],
    }),
  };
}
