import { describe, expect, it } from 'vitest';
import type { NetworkSettings } from '../lease.ts';
import { OPTION } from '../options/option-code.ts';
import {
  ADDRESS,
  type Answered,
  asking,
  hex,
  ip,
  lease,
  settings,
  TestNetwork,
  text,
} from '../testing/test-network.ts';

/** A network with all options. */
const everything = settings({
  dns: [ip('1.1.1.1')],
  domainSearch: ['example.com', 'lab.example.com'],
  ntp: [ip('10.77.0.123')],
  mtu: 1_450,
  routes: [
    { destination: ip('10.0.0.0'), prefix: 8, gateway: ip('10.77.0.250') },
    { destination: ip('172.16.128.0'), prefix: 17, gateway: ip('10.77.0.251') },
    { destination: ip('172.16.0.5'), prefix: 32, gateway: ip('10.77.0.252') },
  ],
});

const MANDATORY = [53, 54, 51, 58, 59];

function codes(answer: Answered | undefined): number[] | undefined {
  return answer?.options.map(({ code }) => code);
}

function offerOf(fields: Partial<NetworkSettings>, ...asked: number[]): Answered | undefined {
  const network = new TestNetwork([lease({ settings: { ...everything, ...fields } })]);
  return network.ask('discover', asked.length > 0 ? asking(...asked) : {});
}

/** The bytes after the last option, the mask, and the end. */
function behindEnd(datagram: Buffer | undefined): string | undefined {
  return datagram?.subarray(datagram.indexOf('ffff0000ff', 240, 'hex') + 5).toString('hex');
}

describe('a client with a parameter request list', () => {
  it('gets these options in its order, after the mandatory ones, with the mask', () => {
    expect(codes(offerOf({}, 15, 6, 3, 1))).toEqual([...MANDATORY, 1, 15, 6, 3]);
  });

  it('gets the mask without requesting it', () => {
    expect(codes(offerOf({}, 6))).toEqual([...MANDATORY, 1, 6]);
  });

  it('gets a repeated option once', () => {
    expect(codes(offerOf({}, 6, 6, 51, 53, 54, 6))).toEqual([...MANDATORY, 1, 6]);
  });

  it('gets nothing for an option that is not configured', () => {
    expect(codes(offerOf({ router: undefined, dns: [] }, 3, 6, 200, 43, 60, 66, 67))).toEqual([...MANDATORY, 1]);
  });

  it('may request every code: npm dhcp crashes on 50, 60 or 116', () => {
    const all = Array.from({ length: 256 }, (_, code) => code);
    expect(codes(offerOf({ routes: [], options: [{ code: 116, value: Uint8Array.of(1) }] }, ...all))).toEqual([
      ...MANDATORY,
      ...[1, 3, 6, 15, 26, 28, 42, 116, 119],
    ]);
  });

  it('gets only the mandatory options for an empty list', () => {
    const network = new TestNetwork();
    expect(codes(network.ask('discover', { [OPTION.parameterRequestList]: new Uint8Array(0) }))).toEqual([
      ...MANDATORY,
      1,
    ]);
  });
});

describe('a client without a parameter request list', () => {
  it('gets all options', () => {
    const network = new TestNetwork([lease({ settings: { ...everything, routes: [] }, hostname: 'vm-1' })]);
    expect(codes(network.ask('discover'))).toEqual([...MANDATORY, 1, 3, 6, 15, 26, 28, 42, 119, 12]);
  });

  it('gets no option that changes its behaviour', () => {
    const offer = offerOf({ options: [{ code: 108, value: Uint8Array.of(0, 0, 0, 60) }] });
    expect(offer?.option(OPTION.ipv6OnlyPreferred)).toBeUndefined();
    expect(offer?.option(OPTION.microsoftRoutes)).toBeUndefined();
  });
});

describe('network options', () => {
  it.each<[string, number, string]>([
    ['mask', 1, 'ffff0000'],
    ['router', 3, '0a4d00fe'],
    ['DNS servers', 6, '01010101'],
    ['domain name', 15, hex('example.com')],
    ['MTU', 26, '05aa'],
    ['broadcast address', 28, '0a4dffff'],
    ['routes to hosts and to networks of a class', 33, '0a0000000a4d00faac1000050a4d00fc'],
    ['NTP servers', 42, '0a4d007b'],
    ['search domains with a common suffix', 119, '076578616d706c6503636f6d00036c6162c000'],
    ['classless routes with the default route', 121, '080a0a4d00fa11ac10800a4d00fb20ac1000050a4d00fc000a4d00fe'],
    ['the same for Microsoft', 249, '080a0a4d00fa11ac10800a4d00fb20ac1000050a4d00fc000a4d00fe'],
  ])('encode %s', (_name, code, expected) => {
    expect(offerOf({}, code)?.option(code)).toBe(expected);
  });

  it.each<[string[], string | undefined]>([
    [['a..b', 'lan'], '036c616e00'],
    [[''], undefined],
  ])('omit domains that cannot be encoded: %j', (domainSearch, expected) => {
    const offer = offerOf({ domainSearch }, 119);
    expect(offer?.yiaddr).toBeDefined();
    expect(offer?.option(119)).toBe(expected);
  });

  it('omit the broadcast address in a network of two hosts', () => {
    expect(offerOf({ prefix: 31 }, 28)?.option(28)).toBeUndefined();
  });

  it('have an all-ones mask for one host', () => {
    expect(offerOf({ prefix: 32 }, 1)?.option(1)).toBe('ffffffff');
  });

  it.each([3, 33])('omit option %i if classless routes are sent (RFC 3442)', (code) => {
    const offer = offerOf({}, 121, code);
    expect(offer?.option(code)).toBeUndefined();
    expect(offer?.option(121)).toBeDefined();
  });

  it('include the router if classless routes are requested but not configured', () => {
    expect(codes(offerOf({ routes: [] }, 121, 3))).toEqual([...MANDATORY, 1, 3]);
  });

  it('keep a configured default route', () => {
    const routes = [{ destination: 0, prefix: 0, gateway: ip('10.77.0.2') }];
    expect(offerOf({ routes }, 121)?.option(121)).toBe('000a4d0002');
  });

  it('have no default route without a router', () => {
    const { router: _, ...isolated } = everything;
    const network = new TestNetwork([lease({ settings: { ...isolated, routes: [] } })]);
    expect(network.ask('discover', asking(3))?.option(3)).toBeUndefined();
    expect(network.ask('discover')?.option(3)).toBeUndefined();
  });

  it.each([255, 256, 600])('are split into pieces of 255 if the client accepts %i bytes', (length) => {
    const value = Uint8Array.from({ length }, (_, i) => i);
    const network = new TestNetwork([lease({ settings: settings({ options: [{ code: 224, value }] }) })]);
    const options = { ...asking(224), [OPTION.maxMessageSize]: Uint8Array.of(5, 0xdc) };
    expect(network.ask('discover', options)?.option(224)).toBe(Buffer.from(value).toString('hex'));
  });
});

describe("a pool's own options", () => {
  it('are sent on request by code', () => {
    const options = [114, 150, 252, 224].map((code) => ({ code, value: Uint8Array.of(code) }));
    expect(codes(offerOf({ options }, 252, 224, 114))).toEqual([...MANDATORY, 1, 252, 224, 114]);
    expect(offerOf({ options }, 150)?.option(150)).toBe('96');
  });

  it.each([1, 3, 6, 12, 15, 26, 28, 42, 58, 59, 119, 121])('override option %i from its fields', (code) => {
    expect(offerOf({ options: [{ code, value: Uint8Array.of(1, 2, 3, 4) }] }, code)?.option(code)).toBe('01020304');
  });

  it.each([58, 59])('do not override time option %i if their length is wrong', (code) => {
    expect(offerOf({ options: [{ code, value: new Uint8Array(600) }] }, code)?.option(code)).toMatch(
      /^0000(5460|93a8)$/,
    );
  });

  it.each([50, 51, 53, 54, 55, 57, 61, 80, 82])('cannot set protocol option %i', (code) => {
    const options = [{ code, value: Uint8Array.of(0xee) }];
    expect(offerOf({ options }, code)?.option(code)).not.toBe('ee');
  });

  it("may change the client's behaviour on request (RFC 8925)", () => {
    const options = [{ code: 108, value: Uint8Array.of(0, 0, 0, 60) }];
    expect(offerOf({ options }, 108)?.option(108)).toBe('0000003c');
  });
});

describe('the host name', () => {
  const named = lease({ hostname: 'vm-1' });

  it('is sent on request', () => {
    expect(new TestNetwork([named]).ask('discover', asking(12))?.option(12)).toBe(hex('vm-1'));
  });

  it.each([undefined, ''])('is absent if the lease has none: %o', (hostname) => {
    const network = new TestNetwork([lease(hostname === undefined ? {} : { hostname })]);
    expect(network.ask('discover', asking(12))?.option(12)).toBeUndefined();
  });
});

describe('an option of the request', () => {
  it.each([
    ['client identifier (RFC 6842)', OPTION.clientIdentifier, '01525400123456'],
    ['DUID (RFC 4361)', OPTION.clientIdentifier, 'ff0000000100020000ab11'],
    ['UUID of its machine (RFC 4578)', OPTION.machineIdentifier, `00${'5a'.repeat(16)}`],
  ])('is echoed: %s', (_name, code, value) => {
    expect(new TestNetwork().ask('discover', { [code]: Buffer.from(value, 'hex') })?.option(code)).toBe(value);
  });
});

describe('a client with an FQDN option (RFC 4702)', () => {
  const told = (hex: string): Record<number, Buffer> => ({ [OPTION.clientFqdn]: Buffer.from(hex, 'hex') });

  it('gets the name of its lease in its own encoding, with no DNS updates', () => {
    const network = new TestNetwork([lease({ hostname: 'vm-1' })]);
    // S and E: the server must update DNS, the name is in DNS encoding.
    const offer = network.ask('discover', told('05000005677565737400'));
    expect(offer?.option(OPTION.clientFqdn)).toBe(`0effff04766d2d3107${hex('example')}03${hex('com')}00`);
    expect(network.ask('discover', told('0000006775657374'))?.option(OPTION.clientFqdn)).toBe(
      `08ffff${hex('vm-1.example.com')}`,
    );
  });

  it('keeps its own name if the lease has none', () => {
    const offer = new TestNetwork().ask('discover', told('0000006775657374'));
    expect(offer?.option(OPTION.clientFqdn)).toBe(`08ffff${hex('guest')}`);
  });

  it('gets no domain if its lease has one or its network has none', () => {
    const { domainName: _, ...plain } = settings();
    const ask = (network: TestNetwork) => network.ask('discover', told('000000'))?.option(OPTION.clientFqdn);
    expect(ask(new TestNetwork([lease({ hostname: 'vm.lan' })]))).toBe(`08ffff${hex('vm.lan')}`);
    expect(ask(new TestNetwork([lease({ hostname: 'vm', settings: plain })]))).toBe(`08ffff${hex('vm')}`);
  });

  it("keeps its own name if the lease's name cannot be encoded", () => {
    const network = new TestNetwork([lease({ hostname: 'a'.repeat(64) })]);
    expect(network.ask('discover', told('04000005677565737400'))?.option(OPTION.clientFqdn)).toBe(
      `0cffff05${hex('guest')}00`,
    );
  });

  it.each([
    ['with a dot in a label', '04000002612e016200'],
    ['of invalid UTF-8', `0400003f${'ff'.repeat(63)}00`],
  ])('with a name that cannot be encoded, %s, still gets its lease', (_name, value) => {
    const network = new TestNetwork();
    const offer = network.ask('discover', told(value));
    expect(offer?.yiaddr).toBe(ADDRESS);
    expect(offer?.option(OPTION.clientFqdn)).toBeUndefined();
    expect(network.told.failed).toEqual([]);
  });

  it('gets no FQDN option if its own is absent or malformed', () => {
    const network = new TestNetwork([lease({ hostname: 'vm-1' })]);
    expect(network.ask('discover', asking(81))?.option(OPTION.clientFqdn)).toBeUndefined();
    expect(network.ask('discover', told('04'))?.option(OPTION.clientFqdn)).toBeUndefined();
  });
});

describe('the size of an answer', () => {
  it('is at least 300 bytes, with zeros after the end', () => {
    const { datagram } = new TestNetwork().ask('discover', asking(1)) ?? {};
    expect(datagram).toHaveLength(300);
    expect(behindEnd(datagram)).toMatch(/^(00)+$/);
  });

  it('leaves no bytes of a longer answer before it', () => {
    const network = new TestNetwork([lease({ settings: everything, hostname: 'a'.repeat(200) })]);
    network.ask('discover', { [OPTION.maxMessageSize]: Uint8Array.of(5, 0xdc) });
    const answer = network.ask('discover', asking(1));
    expect(behindEnd(answer?.datagram)).toMatch(/^(00)+$/);
  });

  const long = settings({ options: [220, 221, 222, 223].map((code) => ({ code, value: new Uint8Array(200) })) });

  it.each<[string, number | undefined, number, number[]]>([
    ['no size', undefined, 548, [1, 220]],
    ['a size below the minimum', 300, 548, [1, 220]],
    ['a larger size', 800, 772, [1, 220, 221]],
    ['a size for all options', 1_500, 1_472, [1, 220, 221, 222, 223]],
    ['a size above an Ethernet frame', 65_535, 1_472, [1, 220, 221, 222, 223]],
  ])("is within the client's limit: %s", (_name, size, limit, expected) => {
    const network = new TestNetwork([lease({ settings: long })]);
    const options = {
      ...asking(220, 221, 222, 223),
      ...(size !== undefined && { [OPTION.maxMessageSize]: Uint8Array.of(size >> 8, size & 255) }),
    };
    const offer = network.ask('discover', options);
    expect(offer?.datagram.length).toBeLessThanOrEqual(limit);
    expect(codes(offer)).toEqual([...MANDATORY, ...expected]);
  });

  it('omits network options before echoed options', () => {
    const network = new TestNetwork([lease({ settings: long, hostname: 'vm-1' })]);
    const identifier = Uint8Array.from({ length: 100 }, () => 7);
    const options = { ...asking(220, 12), [OPTION.clientIdentifier]: identifier, [OPTION.relayAgent]: identifier };
    const offer = network.ask('discover', options);
    expect(offer?.datagram.length).toBeLessThanOrEqual(548);
    expect(codes(offer)).toEqual([...MANDATORY, 1, 61, 12, 82]);
  });

  /** The option 61 of a client and the option 82 of its relay agent that leave little room. */
  const crowded = {
    [OPTION.clientIdentifier]: new Uint8Array(201).fill(7),
    [OPTION.relayAgent]: new Uint8Array(34).fill(8),
  };

  it('drops no option that there is room for: a long option 61 cost the mask, the router and the DNS servers', () => {
    const network = new TestNetwork([lease({ settings: { ...everything, routes: [] }, hostname: 'vm-1' })]);
    const offer = network.ask('discover', { ...crowded, ...asking(3, 6, 15, 119, 42) });
    expect(codes(offer)).toEqual([...MANDATORY, 1, 3, 6, 15, 42, 61, 82]);
  });

  it('always has the mask, also in the answer to INFORM', () => {
    const network = new TestNetwork([lease({ settings: settings({ options: [{ code: 224, value: text('x') }] }) })]);
    const options = { ...asking(224), [OPTION.clientIdentifier]: new Uint8Array(600) };
    expect(codes(network.ask('discover', options))).toEqual([...MANDATORY, 1, 224]);
    expect(codes(network.ask('inform', options, { ciaddr: ADDRESS }))).toEqual([53, 54, 1, 224]);
  });

  it('leaves out only options that do not fit, beside a client identifier of any length', () => {
    const network = new TestNetwork([lease({ settings: { ...everything, routes: [] } })]);
    const list = [15, 119, 42, 3, 6, 28, 26];
    const whole = network.ask('discover', { ...asking(...list), [OPTION.maxMessageSize]: Uint8Array.of(5, 0xdc) });
    for (let length = 170; length < 260; length += 1) {
      const identifier = { [OPTION.clientIdentifier]: new Uint8Array(length).fill(7) };
      const offer = network.ask('discover', { ...crowded, ...identifier, ...asking(...list) });
      const left = 548 - (offer?.datagram.lastIndexOf(OPTION.end) ?? 0) - 1;
      const missing = list.filter((code) => offer?.option(code) === undefined);
      for (const code of missing) expect((whole?.option(code)?.length ?? 0) / 2 + 2, `${code}`).toBeGreaterThan(left);
    }
  });
});

describe('different request lists of one client', () => {
  it('each get their own answer', () => {
    const network = new TestNetwork([lease({ settings: everything })], { perClient: Infinity });
    for (let i = 0; i < 1_000; i += 1) {
      const list = [160 + (i % 50), 3, 130 + Math.floor(i / 50), i % 2 === 0 ? 6 : 15];
      expect(codes(network.ask('discover', asking(...list)))).toEqual([...MANDATORY, 1, 3, i % 2 === 0 ? 6 : 15]);
    }
  });

  it('are distinguished even with equal hashes', () => {
    const network = new TestNetwork([lease({ settings: everything })]);
    // 3·31 + 46 = 4·31 + 15.
    expect(codes(network.ask('discover', asking(3, 46)))).toEqual([...MANDATORY, 1, 3]);
    expect(codes(network.ask('discover', asking(4, 15)))).toEqual([...MANDATORY, 1, 15]);
  });
});

it('encodes a UTF-8 host name as its bytes', () => {
  const network = new TestNetwork([lease({ hostname: 'müller' })]);
  expect(network.ask('discover', asking(12))?.option(12)).toBe(Buffer.from(text('müller')).toString('hex'));
});
