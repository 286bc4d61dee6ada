import { mutate, type Random } from '../../ipmi/testing/mutate.ts';

const FIRST_OPTION = 240;
/** Codes that a server reads, including those that change how it reads. */
const CODES = [0, 12, 50, 51, 52, 53, 54, 55, 57, 60, 61, 77, 80, 81, 82, 93, 97, 118, 175, 255];

/** Mutates a datagram anywhere, or inserts whole options of any length that affect how the rest is read. */
export function mutateDatagram(datagram: Buffer, random: Random): Buffer {
  if (random.chance(0.4)) return mutate(datagram, random);
  let mutated = datagram;
  const rounds = 1 + random.below(4);
  for (let round = 0; round < rounds; round += 1) mutated = changeOptions(mutated, random);
  return mutated;
}

function changeOptions(datagram: Buffer, random: Random): Buffer {
  const at = Math.min(datagram.length, FIRST_OPTION + random.below(80));
  const value = random.bytes(random.below(random.chance(0.9) ? 12 : 300));
  const said = random.chance(0.9) ? value.length : random.below(256);
  const option = Buffer.concat([Buffer.of(random.pick(CODES), said & 0xff), value]);
  // At the start of the options, so that it is read, or anywhere behind it.
  const start = random.chance(0.6) ? Math.min(datagram.length, FIRST_OPTION) : at;
  const removed = random.chance(0.5) ? 0 : random.below(20);
  return Buffer.concat([datagram.subarray(0, start), option, datagram.subarray(start + removed)]);
}
