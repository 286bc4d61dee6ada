import type { Role } from '../../accounts.ts';

/** What an account may do, as DSP0266 §13.2.9 names it. `ConfigureSelf` reaches the caller's own account and sessions alone. */
export type Privilege = 'Login' | 'ConfigureManager' | 'ConfigureUsers' | 'ConfigureSelf' | 'ConfigureComponents';

/** Those of the predefined roles (DSP0266 §13.2.8). */
export const ROLE_PRIVILEGES: Readonly<Record<Role, readonly Privilege[]>> = {
  Administrator: ['Login', 'ConfigureManager', 'ConfigureUsers', 'ConfigureSelf', 'ConfigureComponents'],
  Operator: ['Login', 'ConfigureSelf', 'ConfigureComponents'],
  ReadOnly: ['Login', 'ConfigureSelf'],
  NoAccess: [],
};
