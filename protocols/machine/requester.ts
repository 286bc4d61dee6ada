/** The client that sent a request; recorded in the event log, Kubernetes Events and the audit log. */
export interface Requester {
  protocol: 'IPMI' | 'Redfish';
  user: string;
  /** Source address without port. */
  address: string;
}
