/** URIs of linked resources. There is one of each, with ID `1`: some clients expect this ID. */
export const ROOT = '/redfish/v1';
export const SYSTEM = `${ROOT}/Systems/1`;
export const MANAGER = `${ROOT}/Managers/1`;
export const CHASSIS = `${ROOT}/Chassis/1`;
export const SESSION_SERVICE = `${ROOT}/SessionService`;
export const SESSIONS = `${SESSION_SERVICE}/Sessions`;
export const ACCOUNT_SERVICE = `${ROOT}/AccountService`;
export const ACCOUNTS = `${ACCOUNT_SERVICE}/Accounts`;
export const ROLES = `${ACCOUNT_SERVICE}/Roles`;
export const EVENT_SERVICE = `${ROOT}/EventService`;
export const TASK_SERVICE = `${ROOT}/TaskService`;
export const TELEMETRY_SERVICE = `${ROOT}/TelemetryService`;
export const UPDATE_SERVICE = `${ROOT}/UpdateService`;
export const CERTIFICATE_SERVICE = `${ROOT}/CertificateService`;
export const REGISTRIES = `${ROOT}/Registries`;
export const JSON_SCHEMAS = `${ROOT}/JsonSchemas`;

/** Virtual media belongs to the System; the Manager links to it. */
export const VIRTUAL_MEDIA = `${SYSTEM}/VirtualMedia`;

/** A Redfish reference. */
export function link(uri: string): { '@odata.id': string } {
  return { '@odata.id': uri };
}
