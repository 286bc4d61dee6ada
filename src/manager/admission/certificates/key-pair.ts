/** A certificate and its private key (PKCS #8), both PEM, named as node:tls wants them. */
export interface KeyPair {
  cert: string;
  key: string;
}

const DAY = 86_400_000;

/** Milliseconds that certificates are good for. */
export const LIFETIMES = { authority: 5 * 365 * DAY, server: 365 * DAY } as const;
