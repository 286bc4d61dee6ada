export { type HttpsLimits } from './connections.ts';
export { RedfishHttpsEndpoint, type RedfishHttpsOptions } from './redfish-https-endpoint.ts';
