export { ClusterLeases } from './cluster-leases.ts';
export { knownStatusOf } from './lease-reader.ts';
export { LeaseRecord, type KnownStatus } from './lease-record.ts';
export { LeaseTable } from './lease-table.ts';
export { PoolTable } from './pool-table.ts';
