export { isAllowed } from './is-allowed.ts';
export { ROLE_PRIVILEGES } from './privilege.ts';
export { privilegeRegistryRoute } from './privilege-registry.ts';
