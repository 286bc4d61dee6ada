export { boundedLookup, UnfinishedLookup } from './bounded-lookup.ts';
export { alwaysTo, evaluateHost, type HostDependencies, type HostRefusal } from './evaluate-host.ts';
