/** The agent's side of its ports. Unprivileged numbers: the agent runs as no root and binds nothing below 1024. */
export const AGENT_PORTS = { ipmi: 10623, redfish: 10443, redfishHttp: 10081, health: 10080 } as const;

/** The port that clients of IPMI know (IPMI 2.0 §13.1.2, RMCP primary port). */
export const IPMI_PORT = 623;

/** The ports of Redfish: those of HTTPS and HTTP. */
export const REDFISH_PORT = 443;
export const REDFISH_HTTP_PORT = 80;
