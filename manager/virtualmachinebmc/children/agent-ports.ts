/** The ports of the agent. All are above 1023, because the agent does not run as root. */
export const AGENT_PORTS = { ipmi: 10623, redfish: 10443, redfishHttp: 10081, health: 10080 } as const;

/** The port of IPMI (IPMI 2.0 §13.1.2, RMCP primary port). */
export const IPMI_PORT = 623;

/** The ports of Redfish over HTTPS and HTTP. */
export const REDFISH_PORT = 443;
export const REDFISH_HTTP_PORT = 80;
