export { listenerPolicy } from './listener-policy.ts';
export { networkOf } from './network-of.ts';
export { observeRedfish } from './observe-redfish.ts';
export { RedfishService, type RedfishWish } from './redfish-service.ts';
