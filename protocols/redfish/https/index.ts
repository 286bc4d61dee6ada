export { type HttpsLimits } from './connections.ts';
export { RedfishHttpsEndpoint, type RedfishHttpsOptions, type Upgrades } from './redfish-https-endpoint.ts';
