import { describe, expect, it } from 'vitest';
import { matchCipherSuite } from './cipher-suite.ts';

const any = undefined;

describe('matchCipherSuite', () => {
  it.each([
    ['suite 3', { authentication: 1, integrity: 1, confidentiality: 1 }, 3],
    ['suite 17', { authentication: 3, integrity: 4, confidentiality: 1 }, 17],
    ['three null algorithms', { authentication: any, integrity: any, confidentiality: any }, 17],
    ['SHA-1 and two null algorithms', { authentication: 1, integrity: any, confidentiality: any }, 3],
  ])('finds the suite for %s', (_name, proposal, id) => {
    expect(matchCipherSuite(proposal, [3, 17])?.id).toBe(id);
  });

  it.each([
    ['suite 0', { authentication: 0, integrity: 0, confidentiality: 0 }],
    ['suite 8, MD5', { authentication: 2, integrity: 2, confidentiality: 1 }],
    ['halves of two suites', { authentication: 3, integrity: 1, confidentiality: 1 }],
    ['no encryption', { authentication: 3, integrity: 4, confidentiality: 0 }],
  ])('finds no suite for %s', (_name, proposal) => {
    expect(matchCipherSuite(proposal, [3, 17])).toBeUndefined();
  });

  it('finds only enabled suites', () => {
    expect(matchCipherSuite({ authentication: 1, integrity: 1, confidentiality: 1 }, [17])).toBeUndefined();
  });
});
