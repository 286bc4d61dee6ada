/** Values of option 53, RFC 2132 §9.6. */
export const MESSAGE_TYPE = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  ack: 5,
  nak: 6,
  release: 7,
  inform: 8,
} as const;

const NAMES = ['', 'DISCOVER', 'OFFER', 'REQUEST', 'DECLINE', 'ACK', 'NAK', 'RELEASE', 'INFORM'];

/** `OFFER` for 2; the number for unknown types. */
export function messageTypeName(type: number): string {
  return NAMES[type] === undefined || NAMES[type] === '' ? `${type}` : NAMES[type];
}
