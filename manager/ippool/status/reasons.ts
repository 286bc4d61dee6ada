/** Reasons of a pool's conditions. They are stable: programs may tell them apart. */
export const REASONS = {
  registered: 'Registered',
  specInvalid: 'SpecInvalid',
  noAddresses: 'NoAddresses',
  /** An older pool of the network has these addresses. */
  addressesTaken: 'AddressesTaken',
  multusNotInstalled: 'MultusNotInstalled',
  networkNotFound: 'NetworkNotFound',
  networkInvalid: 'NetworkInvalid',
  networkNotSupported: 'NetworkNotSupported',
  cacheReady: 'CacheReady',
  leasesUnread: 'LeasesUnread',
  /** There are leases of addresses that the pool would not give any more. */
  leasesOutsidePool: 'LeasesOutsidePool',
  agentReady: 'AgentReady',
  /** One of several agents does not answer; the others do. */
  agentsDegraded: 'AgentsDegraded',
  agentNotReady: 'AgentNotReady',
  agentPending: 'AgentPending',
  /** An object of an agent cannot be made: it is somebody else's, or the API server refuses it. */
  agentRefused: 'AgentRefused',
  notServed: 'NotServed',
  paused: 'Paused',
  notPaused: 'NotPaused',
  ready: 'Ready',
  exhausted: 'Exhausted',
  addressesAvailable: 'AddressesAvailable',
  addressInUse: 'AddressInUse',
  noConflict: 'NoConflict',
} as const;
