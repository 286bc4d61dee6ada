export { type HttpsLimits } from './limits.ts';
export { RedfishHttpsEndpoint, type RedfishHttpsOptions } from './redfish-https-endpoint.ts';
