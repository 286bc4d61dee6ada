/** Reasons of a pool's conditions. They are stable: programs may depend on them. */
export const REASONS = {
  registered: 'Registered',
  specInvalid: 'SpecInvalid',
  noAddresses: 'NoAddresses',
  /** An older pool of the network has these addresses. */
  addressesTaken: 'AddressesTaken',
  /** The network's owner does not let pools of this namespace serve it. */
  namespaceNotAllowed: 'NamespaceNotAllowed',
  settingsApplied: 'SettingsApplied',
  /** `spec.agent` of a pool counts only for networks of its own namespace. */
  networkOfOtherNamespace: 'NetworkOfOtherNamespace',
  olderPoolDecides: 'OlderPoolDecides',
  /** `spec.agent.image` is not on the installation's list. */
  imageNotAllowed: 'ImageNotAllowed',
  multusNotInstalled: 'MultusNotInstalled',
  networkNotFound: 'NetworkNotFound',
  networkInvalid: 'NetworkInvalid',
  networkNotSupported: 'NetworkNotSupported',
  /** The network gives addresses to pods, so KubeVirt answers its VMs itself. */
  networkHasIPAM: 'NetworkHasIPAM',
  cacheReady: 'CacheReady',
  leasesUnread: 'LeasesUnread',
  /** Some leases have addresses that the pool would not lease any more. */
  leasesOutsidePool: 'LeasesOutsidePool',
  /** vm-dhcp-controller still serves the network. */
  otherControllerServes: 'OtherControllerServes',
  /** Another controller undoes the manager's writes again and again. */
  contested: 'Contested',
  agentReady: 'AgentReady',
  /** One of several agents does not answer; the others do. */
  agentsDegraded: 'AgentsDegraded',
  agentNotReady: 'AgentNotReady',
  agentPending: 'AgentPending',
  /** An object of an agent cannot be created: another client owns it, or the API server rejects it. */
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
