import { generateKeyPairSync } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { advanced, announced, bundleOf, dueStep, succeeded, type Rotation } from './ca-rotation.ts';
import { AUTHORITY_TERMS as TERMS } from './authority.ts';
import { isIssuedFor, timeLeft, makeAuthority, makeServerCertificate, type KeyPair } from './certificates.ts';
import { authorityDataOf, rotationIn } from './ca-rotation-secret.ts';

const DAY = 86_400_000;
const YEAR = 365 * DAY;
const START = Date.UTC(2026, 0, 1);
/** One day of margin: certificates are backdated. */
const LAST_THIRD = START + (20 * YEAR * 2) / 3 + DAY;
const ANNOUNCED = LAST_THIRD + DAY;
const SIGNS = ANNOUNCED + YEAR;

let first: KeyPair;
let second: KeyPair;
const broken: KeyPair = { cert: 'nonsense', key: 'nonsense' };

beforeAll(async () => {
  first = await makeAuthority({ name: 'first', lifetime: 20 * YEAR, now: START });
  second = await makeAuthority({ name: 'second', lifetime: 20 * YEAR, now: LAST_THIRD });
});

const certificatesIn = (bundle: string) => bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
const trusts = (bundle: string, leaf: KeyPair) =>
  certificatesIn(bundle).some((authority) => isIssuedFor(leaf.cert, authority, ['bmc.example']));
const leafOf = async (authority: KeyPair, now: number) =>
  await makeServerCertificate(authority, { names: ['bmc.example'], lifetime: TERMS.signsFor, now });
/** The rotation as another process reads it from the Secret. */
const reread = (rotation: Rotation) => rotationIn({ data: authorityDataOf(rotation) });

/** One check by a newly started manager that publishes the ConfigMap before it announces. */
async function look(known: Rotation | undefined, now: number): Promise<Rotation> {
  const rotation = await advanced(known === undefined ? undefined : reread(known), now, TERMS);
  return dueStep(rotation, now, TERMS) === 'announce' ? announced(rotation, now) : rotation;
}

describe('the due step of an authority', () => {
  const next = (announcedAt?: number) => ({
    pair: second,
    ...(announcedAt === undefined ? {} : { announcedAt }),
  });
  const previous = (until: number) => ({ cert: first.cert, until });

  it.each<[string, string | undefined, number, () => Rotation | undefined]>([
    ['there is no authority', 'make', START, () => undefined],
    ['it is young', undefined, START + 13 * YEAR, () => ({ authority: first })],
    ['its last third has begun', 'make next', LAST_THIRD, () => ({ authority: first })],
    ['clients cannot read the next CA yet', 'announce', LAST_THIRD, () => ({ authority: first, next: next() })],
    ['the overlap has not ended', undefined, SIGNS - 1, () => ({ authority: first, next: next(ANNOUNCED) })],
    ['the overlap has ended', 'succeed', SIGNS, () => ({ authority: first, next: next(ANNOUNCED) })],
    ['the first has expired early', 'succeed', START + 21 * YEAR, () => ({ authority: first, next: next() })],
    ['the first is damaged', 'succeed', LAST_THIRD, () => ({ authority: broken, next: next() })],
    ['the only one has expired', 'make', START + 21 * YEAR, () => ({ authority: first })],
    ['the next is damaged', 'drop next', LAST_THIRD, () => ({ authority: first, next: { pair: broken } })],
    [
      'certificates of the previous CA may be valid',
      undefined,
      SIGNS,
      () => ({ authority: second, previous: previous(SIGNS + 1) }),
    ],
    [
      'no certificate of the previous CA is valid',
      'drop previous',
      SIGNS,
      () => ({ authority: second, previous: previous(SIGNS) }),
    ],
    [
      'the previous CA has expired',
      'drop previous',
      START + 21 * YEAR,
      () => ({ authority: second, previous: previous(Infinity) }),
    ],
    ['the clock was years ahead', 'drop next', START + YEAR, () => ({ authority: first, next: next(ANNOUNCED) })],
    [
      'the clock was ahead by days',
      'announce',
      ANNOUNCED,
      () => ({ authority: first, next: next(ANNOUNCED + 9 * DAY) }),
    ],
    [
      "another manager's clock is ahead",
      undefined,
      ANNOUNCED,
      () => ({ authority: first, next: next(ANNOUNCED + DAY / 2) }),
    ],
  ])('if %s, is: %s', (_, step, now, given) => {
    expect(dueStep(given(), now, TERMS)).toBe(step);
  });

  it('comes early enough for a custom authority with a life of one year', async () => {
    const bought = await makeAuthority({ name: 'bought', lifetime: YEAR, now: START });
    const late = START + 250 * DAY;
    expect(dueStep({ authority: bought }, START + 200 * DAY, TERMS)).toBeUndefined();
    expect(dueStep({ authority: bought }, late, TERMS)).toBe('make next');
    const pair = await makeAuthority({ name: 'next', lifetime: 20 * YEAR, now: late });
    const told = { authority: bought, next: { pair, announcedAt: late } };
    expect(dueStep(told, late + 30 * DAY, TERMS)).toBeUndefined();
    expect(dueStep(told, late + 62 * DAY, TERMS)).toBe('succeed');
  });

  it('`succeed` drops the key of the previous authority', () => {
    const after = succeeded({ authority: first, next: next(ANNOUNCED) }, SIGNS, TERMS);
    expect(JSON.stringify(authorityDataOf(after))).not.toContain(Buffer.from(first.key).toString('base64'));
    expect(after.previous?.until).toBeGreaterThanOrEqual(SIGNS + TERMS.signsFor);
    expect(bundleOf(after)).toBe([second, first].map(({ cert }) => `${cert.trimEnd()}\n`).join(''));
    expect(() => succeeded({ authority: first }, SIGNS, TERMS)).toThrow(TypeError);
  });

  it('is unchanged after a round trip through a Secret', () => {
    const whole = { authority: first, next: next(ANNOUNCED), previous: previous(SIGNS) };
    expect(reread(whole)).toEqual(whole);
    expect(reread({ authority: first, next: next() })).toEqual({ authority: first, next: next() });
    // As written by a manager version without that time.
    const { 'previous.until': _, ...data } = authorityDataOf(whole);
    expect(rotationIn({ data })?.previous).toEqual(previous(Infinity));
    expect(rotationIn({ data: {} })).toBeUndefined();
  });
});

describe('fifty years of an authority, with newly started managers at each check', () => {
  // A thousand checks of keys and certificates take seconds.
  it(
    'present only certificates whose CA clients could read for a year, and keep each CA whose certificates may be valid',
    { timeout: 60_000 },
    async () => {
      let state = await look(undefined, START);
      let leaf = await leafOf(state.authority, START);
      const authorities = new Set([state.authority.cert]);
      /** Bundles that clients have read, with the day; and server certificates still in use. */
      let bundles = [{ at: START, bundle: bundleOf(state) }];
      let leaves = [{ at: START, leaf }];
      for (let now = START; now < START + 50 * YEAR; now += 17 * DAY) {
        const before = state;
        const one = await look(state, now);
        const isStep = !isDeepStrictEqual(one, state);
        // Two managers check at once: the API server accepts one write, and the other manager reads it.
        const other = isStep ? await look(state, now) : one;
        expect(Object.keys(one)).toEqual(Object.keys(other));
        state = (now / DAY) % 2 === 0 ? one : other;
        const lastLeaf = leaf;
        if (timeLeft(leaf.cert, now) < YEAR / 3 || (isStep && !isIssuedFor(leaf.cert, state.authority.cert, []))) {
          leaf = await leafOf(state.authority, now);
          leaves.push({ at: now, leaf });
        }
        authorities.add(state.authority.cert);
        if (bundleOf(before) !== bundleOf(state)) bundles.push({ at: now, bundle: bundleOf(state) });
        const current = bundles.at(-1);
        bundles = bundles.filter((one, at) => one === current || (bundles[at + 1]?.at ?? 0) > now - YEAR);
        leaves = leaves.filter((one) => timeLeft(one.leaf.cert, now) > 0);
        // Without a step and a new certificate, the results are those of the last check.
        if (isStep || leaf !== lastLeaf) {
          for (const { bundle } of bundles) expect(trusts(bundle, leaf)).toBe(true);
          for (const one of leaves) expect(trusts(current?.bundle ?? '', one.leaf)).toBe(true);
        }
        expect(timeLeft(leaf.cert, now)).toBeLessThan(timeLeft(state.authority.cert, now));
        expect(certificatesIn(bundleOf(state)).length).toBeLessThanOrEqual(2);
      }
      expect(authorities.size).toBe(4);
      expect(state.previous).toBeUndefined();
    },
  );

  it('count the overlap from the announcement, not from an earlier start by a manager that crashed before it', async () => {
    const unannounced = await advanced({ authority: first }, LAST_THIRD, TERMS);
    expect(unannounced.next).toBeDefined();
    const later = await look(unannounced, LAST_THIRD + 2 * YEAR);
    expect(later.authority).toEqual(first);
    expect(later.next?.announcedAt).toBe(LAST_THIRD + 2 * YEAR);
    expect((await look(later, LAST_THIRD + 3 * YEAR)).previous?.cert).toBe(first.cert);
  });
});

describe('a clock that jumps', () => {
  it.each([1, 5, 10, 15, 19])('%i years ahead and back does not change the signing authority', async (years) => {
    const ahead = await look({ authority: first }, START + years * YEAR);
    const back = await look(ahead, START + YEAR / 2);
    expect(back).toEqual({ authority: first });
  });

  it('years back changes nothing', async () => {
    const whole = { authority: second, previous: { cert: first.cert, until: SIGNS + YEAR } };
    expect(await look(whole, START - 10 * YEAR)).toEqual(whole);
  });

  it('at random keeps a valid authority and reaches a stable state', async () => {
    let state: Rotation | undefined;
    const jumps = [0, 14, 13, 25, 3, 26, 27.5, 28, 60, 1, 74, 75.5, 76, 0, 40, 41, 42, -3, 90];
    for (const years of jumps) {
      const now = START + years * YEAR;
      for (let looks = 0; looks < 6; looks += 1) state = await look(state, now);
      expect(await look(state, now)).toEqual(state);
      expect(timeLeft(state?.authority.cert ?? '', now)).toBeGreaterThan(0);
      expect(state !== undefined && certificatesIn(bundleOf(state)).length).toBeLessThanOrEqual(3);
    }
  });
});

it('rejects a valid key that does not match the certificate', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  expect(dueStep({ authority: { ...first, key } }, START, TERMS)).toBe('make');
});
