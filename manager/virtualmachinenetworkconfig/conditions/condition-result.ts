/** What is to be said of an interface, where all is not well with it. */
export interface ConditionResult {
  reason: Reason;
  /** A sentence that says what to do. */
  message: string;
}

/** Reasons of the condition Allocated, stable. */
export const REASONS = {
  allocated: 'Allocated',
  paused: 'Paused',
  /** No IPPool serves the network. */
  noPool: 'NoPool',
  poolPaused: 'PoolPaused',
  /** An older pool of the network has its addresses. */
  poolCollides: 'PoolCollides',
  poolInvalid: 'PoolInvalid',
  poolDeleting: 'PoolDeleting',
  /** All addresses are leased. */
  poolExhausted: 'PoolExhausted',
  duplicateMAC: 'DuplicateMAC',
  addressOutOfNetwork: 'AddressOutOfNetwork',
  /** The network's or the broadcast address, a server's or the router's. */
  addressUnusable: 'AddressUnusable',
  addressExcluded: 'AddressExcluded',
  addressReserved: 'AddressReserved',
  addressInUse: 'AddressInUse',
  /** The address is fixed, and another machine answers for it. */
  addressConflict: 'AddressConflict',
  /** The VM had the address under another MAC address until now. */
  handingOver: 'HandingOver',
  /** Other managers were faster. */
  contended: 'Contended',
  /** The API server refused the lease. */
  refused: 'Refused',
} as const;

export type Reason = (typeof REASONS)[keyof typeof REASONS];
