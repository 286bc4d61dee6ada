/**
 * Options that a server or a client says in the protocol itself, and what they are: no settings of a pool (RFC 2132 §9,
 * RFC 3011, RFC 3046, RFC 4039, RFC 4702).
 */
export const DHCP_PROTOCOL_OPTIONS: Readonly<Partial<Record<number, string>>> = {
  50: 'requested address',
  51: 'lease time: set leaseTime',
  52: 'option overload',
  53: 'message type',
  54: 'server identifier',
  55: 'parameter request list',
  57: 'maximum message size',
  61: 'client identifier',
  80: 'rapid commit',
  81: "client's full name",
  82: 'relay agent information',
  118: 'subnet selection',
};
