/** A small seeded random generator, so that failures are reproducible. */
export interface Random {
  /** 0 to `limit` − 1. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T;
  bytes(length: number): Buffer;
}

/** Mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const random: Random = {
    below: (limit) => Math.floor(next() * limit),
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[random.below(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => random.below(256))),
  };
  return random;
}

const INTERESTING = [0x00, 0x01, 0x06, 0x07, 0x0f, 0x10, 0x7f, 0x80, 0xc0, 0xe4, 0xff];

/** Changes a packet in one to four places: bits, bytes, length, inserted or removed parts, oversize. */
export function mutate(packet: Buffer, random: Random): Buffer {
  let mutated = Buffer.from(packet);
  const rounds = 1 + random.below(4);
  for (let round = 0; round < rounds; round += 1) mutated = random.pick(MUTATIONS)(mutated, random);
  return mutated;
}

type Mutation = (packet: Buffer<ArrayBuffer>, random: Random) => Buffer<ArrayBuffer>;

const MUTATIONS: readonly Mutation[] = [
  (packet, random) => change(packet, random, (byte) => byte ^ (1 << random.below(8))),
  (packet, random) => change(packet, random, () => random.below(256)),
  (packet, random) => change(packet, random, () => random.pick(INTERESTING)),
  (packet, random) => packet.subarray(0, random.below(packet.length + 1)),
  (packet, random) => splice(packet, random.below(packet.length + 1), 0, random.bytes(random.below(20))),
  (packet, random) => splice(packet, random.below(packet.length + 1), random.below(8), Buffer.alloc(0)),
  // The fields that select the format: authentication type, payload type, payload length.
  (packet, random) => change(packet, random, () => random.below(256), random.pick([4, 5, 13, 14, 15])),
  (packet, random) => (random.chance(0.1) ? Buffer.concat([packet, random.bytes(2_000)]) : packet),
];

function change(
  packet: Buffer<ArrayBuffer>,
  random: Random,
  to: (byte: number) => number,
  at = random.below(Math.max(1, packet.length)),
): Buffer<ArrayBuffer> {
  const byte = packet[at];
  if (byte !== undefined) packet.writeUInt8(to(byte) & 0xff, at);
  return packet;
}

function splice(packet: Buffer, at: number, remove: number, insert: Buffer): Buffer<ArrayBuffer> {
  return Buffer.concat([packet.subarray(0, at), insert, packet.subarray(at + remove)]);
}
