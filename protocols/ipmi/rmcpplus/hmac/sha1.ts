import { type BlockHash, wordAt } from './block-hash.ts';

const ROUNDS = 80;

/** SHA-1, FIPS 180-4 §6.1. Constant time: no branch and no index depends on the data. */
export const SHA1: BlockHash = {
  name: 'sha1',
  initial: [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0],
  scheduleLength: ROUNDS,
  compress: (state, words) => {
    for (let i = 16; i < ROUNDS; i += 1) {
      const mixed = wordAt(words, i - 3) ^ wordAt(words, i - 8) ^ wordAt(words, i - 14) ^ wordAt(words, i - 16);
      words[i] = (mixed << 1) | (mixed >>> 31);
    }
    let a = wordAt(state, 0);
    let b = wordAt(state, 1);
    let c = wordAt(state, 2);
    let d = wordAt(state, 3);
    let e = wordAt(state, 4);
    // One loop per function: a selection inside a single loop would double the time.
    for (let i = 0; i < 20; i += 1) {
      const next = (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + wordAt(words, i)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    for (let i = 20; i < 40; i += 1) {
      const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + wordAt(words, i)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    for (let i = 40; i < 60; i += 1) {
      const next = (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e + 0x8f1bbcdc + wordAt(words, i)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    for (let i = 60; i < ROUNDS; i += 1) {
      const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0xca62c1d6 + wordAt(words, i)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    state[0] = wordAt(state, 0) + a;
    state[1] = wordAt(state, 1) + b;
    state[2] = wordAt(state, 2) + c;
    state[3] = wordAt(state, 3) + d;
    state[4] = wordAt(state, 4) + e;
  },
};
