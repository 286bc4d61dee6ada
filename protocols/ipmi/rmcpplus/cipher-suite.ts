/** The supported cipher suites. Suite 0, without authentication, is deliberately missing (CVE-2013-4782). */
export type CipherSuiteId = 3 | 17;

/** A set of algorithms, IPMI 2.0 table 22-20. */
export interface CipherSuite {
  readonly id: CipherSuiteId;
  /** Algorithm numbers of IPMI 2.0 tables 13-17, 13-18 and 13-19. */
  readonly authentication: number;
  readonly integrity: number;
  readonly confidentiality: number;
  readonly hash: 'sha1' | 'sha256';
  /** Bytes of the integrity code of packets and of RAKP 4: the truncated hash. */
  readonly integrityLength: number;
  /** Bytes of the key exchange codes of RAKP 2 and 3: the full hash. */
  readonly digestLength: number;
}

/** The algorithms that a client proposes; undefined lets the BMC choose (a null algorithm payload). */
export interface AlgorithmProposal {
  authentication: number | undefined;
  integrity: number | undefined;
  confidentiality: number | undefined;
}

const AES_CBC_128 = 0x01;

const SUITES: Readonly<Record<CipherSuiteId, CipherSuite>> = {
  3: {
    id: 3,
    authentication: 0x01,
    integrity: 0x01,
    confidentiality: AES_CBC_128,
    hash: 'sha1',
    integrityLength: 12,
    digestLength: 20,
  },
  17: {
    id: 17,
    authentication: 0x03,
    integrity: 0x04,
    confidentiality: AES_CBC_128,
    hash: 'sha256',
    integrityLength: 16,
    digestLength: 32,
  },
};

export function cipherSuite(id: CipherSuiteId): CipherSuite {
  return SUITES[id];
}

/**
 * The enabled suite that matches a proposal. All three algorithms must match one suite: separate matches would accept combinations that
 * are not enabled. If several match, because of null payloads, the strongest is selected.
 */
export function matchCipherSuite(
  proposal: AlgorithmProposal,
  enabled: readonly CipherSuiteId[],
): CipherSuite | undefined {
  let strongest: CipherSuite | undefined;
  for (const id of enabled) {
    const suite = cipherSuite(id);
    if (matches(proposal, suite) && id > (strongest?.id ?? 0)) strongest = suite;
  }
  return strongest;
}

function matches({ authentication, integrity, confidentiality }: AlgorithmProposal, suite: CipherSuite): boolean {
  return (
    (authentication ?? suite.authentication) === suite.authentication &&
    (integrity ?? suite.integrity) === suite.integrity &&
    (confidentiality ?? suite.confidentiality) === suite.confidentiality
  );
}
