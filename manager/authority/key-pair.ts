/** A certificate and its private key (PKCS #8), both PEM, named as node:tls wants them. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** Who signs, and whom clients are to trust. */
export interface Issuer extends KeyPair {
  /** Certificates, PEM: first its own, then those of whoever comes after it and went before it. */
  bundle: string;
}
