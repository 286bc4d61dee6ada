const ROOT = '/redfish/v1';

export const SYSTEM = `${ROOT}/Systems/1`;
export const MANAGER = `${ROOT}/Managers/1`;
export const NETWORK_PROTOCOL = `${MANAGER}/NetworkProtocol`;
export const INTERFACES = `${SYSTEM}/EthernetInterfaces?$expand=.`;
export const LOG = `${SYSTEM}/LogServices/EventLog`;
export const LOG_ENTRIES = `${LOG}/Entries`;
export const SENSORS = `${ROOT}/Chassis/1/Sensors?$expand=.`;
export const MEDIA = `${SYSTEM}/VirtualMedia?$expand=.`;
export const TASKS = `${ROOT}/TaskService/Tasks?$expand=.`;
export const ACCOUNT_SERVICE = `${ROOT}/AccountService`;
export const ACCOUNTS = `${ACCOUNT_SERVICE}/Accounts?$expand=.`;
export const ROLES = `${ACCOUNT_SERVICE}/Roles`;
export const SESSION_SERVICE = `${ROOT}/SessionService`;
export const SESSIONS = `${SESSION_SERVICE}/Sessions?$expand=.`;
export const CERTIFICATES = `${NETWORK_PROTOCOL}/HTTPS/Certificates?$expand=.`;
export const CERTIFICATE_SERVICE = `${ROOT}/CertificateService`;
export const EVENTS = `${ROOT}/EventService/SSE`;
