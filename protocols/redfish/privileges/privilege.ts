import type { Role } from '../../accounts.ts';

/** Privileges of DSP0266 §13.2.9. `ConfigureSelf` covers only the caller's own account and sessions. */
export type Privilege = 'Login' | 'ConfigureManager' | 'ConfigureUsers' | 'ConfigureSelf' | 'ConfigureComponents';

/** Privileges of the predefined roles (DSP0266 §13.2.8). */
export const ROLE_PRIVILEGES: Readonly<Record<Role, readonly Privilege[]>> = {
  Administrator: ['Login', 'ConfigureManager', 'ConfigureUsers', 'ConfigureSelf', 'ConfigureComponents'],
  Operator: ['Login', 'ConfigureSelf', 'ConfigureComponents'],
  ReadOnly: ['Login', 'ConfigureSelf'],
  NoAccess: [],
};
