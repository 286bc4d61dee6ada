import { type BlockHash, wordAt } from './block-hash.ts';

/** FIPS 180-4 §4.2.2. */
const ROUND_CONSTANTS = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);
const ROUNDS = ROUND_CONSTANTS.length;

/** SHA-256, FIPS 180-4 §6.2. Constant time: no branch and no index depends on the data. */
export const SHA256: BlockHash = {
  name: 'sha256',
  initial: [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19],
  scheduleLength: ROUNDS,
  compress: (state, words) => {
    for (let i = 16; i < ROUNDS; i += 1) {
      const x = wordAt(words, i - 15);
      const y = wordAt(words, i - 2);
      const sigma0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const sigma1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      words[i] = wordAt(words, i - 16) + sigma0 + wordAt(words, i - 7) + sigma1;
    }
    let a = wordAt(state, 0);
    let b = wordAt(state, 1);
    let c = wordAt(state, 2);
    let d = wordAt(state, 3);
    let e = wordAt(state, 4);
    let f = wordAt(state, 5);
    let g = wordAt(state, 6);
    let h = wordAt(state, 7);
    for (let i = 0; i < ROUNDS; i += 1) {
      const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const choice = g ^ (e & (f ^ g));
      const majority = (a & b) | (c & (a | b));
      const next = (h + sum1 + choice + wordAt(ROUND_CONSTANTS, i) + wordAt(words, i)) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + next) | 0;
      d = c;
      c = b;
      b = a;
      a = (next + sum0 + majority) | 0;
    }
    state[0] = wordAt(state, 0) + a;
    state[1] = wordAt(state, 1) + b;
    state[2] = wordAt(state, 2) + c;
    state[3] = wordAt(state, 3) + d;
    state[4] = wordAt(state, 4) + e;
    state[5] = wordAt(state, 5) + f;
    state[6] = wordAt(state, 6) + g;
    state[7] = wordAt(state, 7) + h;
  },
};
