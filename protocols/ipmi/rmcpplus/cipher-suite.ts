/** The cipher suites that this BMC can speak; suite 0, which checks nothing, is not among them on purpose (CVE-2013-4782). */
export type CipherSuiteId = 3 | 17;

/** One agreed set of algorithms, IPMI 2.0 table 22-20. */
export interface CipherSuite {
  readonly id: CipherSuiteId;
  /** Algorithm numbers of IPMI 2.0 tables 13-17, 13-18 and 13-19. */
  readonly authentication: number;
  readonly integrity: number;
  readonly confidentiality: number;
  readonly hash: 'sha1' | 'sha256';
  /** Bytes of the integrity code of a packet and of RAKP 4: the hash, truncated. */
  readonly integrityLength: number;
  /** Bytes of the key exchange codes of RAKP 2 and 3: the whole hash. */
  readonly digestLength: number;
}

/** What a client asks for; undefined where it leaves the choice to the BMC (a null algorithm payload). */
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
 * The enabled suite that a proposal names. All three algorithms have to fit one suite: matching each on its own would
 * accept combinations that nobody enabled. Among several, which takes a null payload, the strongest wins.
 */
export function matchCipherSuite(
  proposal: AlgorithmProposal,
  enabled: readonly CipherSuiteId[],
): CipherSuite | undefined {
  return enabled
    .toSorted((a, b) => b - a)
    .map(cipherSuite)
    .find(
      (suite) =>
        (proposal.authentication ?? suite.authentication) === suite.authentication &&
        (proposal.integrity ?? suite.integrity) === suite.integrity &&
        (proposal.confidentiality ?? suite.confidentiality) === suite.confidentiality,
    );
}
