/** Who asks: for the event log, Kubernetes Events and audit. */
export interface Requester {
  protocol: 'IPMI' | 'Redfish';
  user: string;
  /** Source address, without port. */
  address: string;
}
