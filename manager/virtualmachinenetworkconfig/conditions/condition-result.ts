/** The problem of an interface. */
export interface Problem {
  reason: Reason;
  /** A sentence that says what to do. */
  message: string;
}

/** Reasons of the condition Allocated; they are stable. */
export const REASONS = {
  allocated: 'Allocated',
  paused: 'Paused',
  /** No IPPool serves the network. */
  noPool: 'NoPool',
  poolPaused: 'PoolPaused',
  /** An older pool of the network has the same addresses. */
  poolCollides: 'PoolCollides',
  poolInvalid: 'PoolInvalid',
  poolDeleting: 'PoolDeleting',
  /** All addresses are leased. */
  poolExhausted: 'PoolExhausted',
  duplicateMAC: 'DuplicateMAC',
  addressOutOfNetwork: 'AddressOutOfNetwork',
  /** The network or broadcast address, or that of a server or the router. */
  addressUnusable: 'AddressUnusable',
  addressExcluded: 'AddressExcluded',
  addressReserved: 'AddressReserved',
  addressInUse: 'AddressInUse',
  /** The address is fixed, and another machine uses it. */
  addressConflict: 'AddressConflict',
  /** The VM had the address with another MAC address until now. */
  handingOver: 'HandingOver',
  /** Other managers won the address repeatedly. */
  contended: 'Contended',
  /** The API server rejected the lease. */
  refused: 'Refused',
} as const;

export type Reason = (typeof REASONS)[keyof typeof REASONS];
