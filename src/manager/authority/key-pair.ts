/** A certificate and its private key (PKCS #8), both PEM, named as node:tls wants them. */
export interface KeyPair {
  cert: string;
  key: string;
}
