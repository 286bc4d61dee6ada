/** A certificate and its private key (PKCS #8), both PEM, with the property names of node:tls. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** The signing authority and the certificates to trust. */
export interface Issuer extends KeyPair {
  /** Certificates, PEM: its own first, then those of its successor and its predecessor. */
  bundle: string;
}
