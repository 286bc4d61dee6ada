import { CERTIFICATE_KEYS } from '../../../api/index.ts';
import type { Secret } from '@groundcrew/controller-runtime';

/** A certificate, with those that lead to who signed it behind it, and its key; both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** What a Secret of type kubernetes.io/tls holds; undefined where it holds no pair. */
export function certificateIn(secret: Secret | undefined): Certificate | undefined {
  const { certificate, key } = CERTIFICATE_KEYS;
  const [cert, own] = [certificate, key].map((each) => Buffer.from(secret?.data?.[each] ?? '', 'base64').toString());
  return cert === undefined || own === undefined || cert === '' || own === '' ? undefined : { cert, key: own };
}

/** The certificates of a chain, one by one. */
export function certificatesIn(chain: string): string[] {
  return chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}
