export { allCaches, BY_VIRTUAL_MACHINE as BMCS_BY_VIRTUAL_MACHINE, createCaches } from './caches.ts';
export { nameRefusal, ownNames, signedDomains, type NamePolicy } from './certificate-names.ts';
export { sampleTemplate as sampleBmcTemplate } from './children/deployment.ts';
export { virtualMachineBmcController } from './controller.ts';
export { bmcFleet } from './fleet.ts';
export { KnownObjects } from './known-objects.ts';
export { NamedSecrets } from './named-secrets.ts';
