import { describe, expect, it } from 'vitest';
import { OPTION } from '../options/option-code.ts';
import {
  ADDRESS,
  BROADCAST,
  hex,
  ip,
  message,
  type Options,
  SERVER,
  settings,
  lease,
  TestNetwork,
} from '../testing/test-network.ts';

const RELAY = ip('10.77.0.9');
/** An address in a network other than the lease's. */
const ELSEWHERE = ip('192.168.7.1');
/** A lease whose pool lists a relay agent there. */
const remote = lease({ settings: settings({ relays: [{ subnet: ELSEWHERE, prefix: 32 }] }) });
const { requestedAddress, serverIdentifier, relayAgent } = OPTION;

/** Option 82 with these sub-options. */
function information(...subOptions: [number, ...number[]][]): Options {
  return { [relayAgent]: Uint8Array.from(subOptions.flatMap(([code, ...value]) => [code, value.length, ...value])) };
}

describe('an answer through a relay agent', () => {
  it('goes to the agent at the server port, whatever the source port', () => {
    const request = message('discover', {}, { giaddr: RELAY, flags: 0x8000 });
    const offer = new TestNetwork().send(request, { address: ip('10.9.9.9'), port: 40_000 });
    expect(offer).toMatchObject({ to: RELAY, port: 67, giaddr: RELAY, flags: 0x8000, from: SERVER });
  });

  it("goes to the agent's source port if requested (RFC 8357)", () => {
    const request = message('discover', information([19]), { giaddr: RELAY });
    expect(new TestNetwork().send(request, { address: RELAY, port: 10_067 })).toMatchObject({
      to: RELAY,
      port: 10_067,
    });
  });

  it('contains option 82 unchanged, as the last option', () => {
    const options = { ...information([1, 0xaa], [2, 0xbb, 0xcc]), [OPTION.clientIdentifier]: Uint8Array.of(1, 2) };
    const offer = new TestNetwork().ask('discover', options, { giaddr: RELAY });
    expect(offer?.option(relayAgent)).toBe('0101aa0202bbcc');
    expect(offer?.options.at(-1)?.code).toBe(relayAgent);
  });

  it('contains a malformed option 82 unchanged', () => {
    const options = { [relayAgent]: Uint8Array.of(5, 4, 1) };
    expect(new TestNetwork().ask('discover', options, { giaddr: RELAY })?.option(relayAgent)).toBe('050401');
  });

  it('leaves out an option 82 of more than 255 bytes', () => {
    const options = { [relayAgent]: new Uint8Array(300) };
    expect(new TestNetwork().ask('discover', options, { giaddr: RELAY })?.option(relayAgent)).toBeUndefined();
  });

  it('that is a NAK has the broadcast flag and option 82', () => {
    const options = { [requestedAddress]: ip('10.77.0.77'), ...information([1, 7]) };
    const nak = new TestNetwork().ask('request', options, { giaddr: RELAY });
    expect(nak).toMatchObject({ to: RELAY, port: 67, flags: 0x8000, giaddr: RELAY });
    expect(nak?.options.map(({ code }) => code)).toEqual([53, 54, 56, 82]);
  });
});

describe('a switch that adds option 82 without being a relay agent', () => {
  it('gets the option back, and the answer is broadcast', () => {
    const offer = new TestNetwork().ask('discover', information([1, 7]));
    expect(offer).toMatchObject({ to: BROADCAST, port: 68 });
    expect(offer?.option(relayAgent)).toBe('010107');
  });

  it('cannot override the server identifier', () => {
    const offer = new TestNetwork().ask('discover', information([11, 1, 2, 3, 4]));
    expect(offer?.option(serverIdentifier)).toBe(hex(SERVER));
  });
});

describe('a relay agent in no network of the pools', () => {
  const anywhere = ip('8.8.8.8');
  const forged = { ...information([5, 10, 77, 0, 0], [19]), [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS };

  it.each(['discover', 'request', 'inform', 'decline', 'release'] as const)(
    'gets no answer to %s, whatever link selection says: it would leave the network, to any address and port',
    (type) => {
      const network = new TestNetwork();
      expect(network.ask(type, forged, { giaddr: anywhere, ciaddr: ADDRESS })).toBeUndefined();
      expect(network.outcome).toBe('UnknownRelay');
      expect(network.told.dropped).toEqual([expect.stringMatching(/^UnknownRelay: \w+ by 8\.8\.8\.8$/)]);
      expect(network.told).toMatchObject({ seen: [], declined: [], released: [] });
    },
  );

  it('gets no NAK', () => {
    const network = new TestNetwork();
    expect(network.ask('request', { [requestedAddress]: ip('10.77.0.77') }, { giaddr: anywhere })).toBeUndefined();
    expect(network.outcome).toBe('UnknownRelay');
  });

  it('does not use up the packets of the client', () => {
    const network = new TestNetwork(undefined, { perClient: 1 });
    for (let count = 0; count < 10; count += 1) network.ask('discover', {}, { giaddr: anywhere });
    expect(network.ask('discover')).toBeDefined();
  });
});

describe("a client in a network other than its lease's, behind a listed relay agent", () => {
  it('gets no answer to DISCOVER', () => {
    const network = new TestNetwork([remote]);
    expect(network.ask('discover', {}, { giaddr: ELSEWHERE })).toBeUndefined();
    expect(network.outcome).toBe('OtherNetwork');
  });

  it.each([
    ['requests its lease', { [requestedAddress]: ADDRESS }, {}],
    ['renews its lease', {}, { ciaddr: ADDRESS }],
    ['chose this server', { [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS }, {}],
  ])('that %s gets a NAK: its address does not work there', (_name, options, fields) => {
    const network = new TestNetwork([remote]);
    network.ask('request', options, { ...fields, giaddr: ELSEWHERE });
    expect(network.outcome).toBe('Nak');
  });

  it.each([
    ['requests', { [requestedAddress]: ip('192.168.7.7') }, {}],
    ['renews', {}, { ciaddr: ip('192.168.7.7') }],
  ])(
    'that %s an address of that network gets no answer: another server may have assigned it',
    (_name, options, fields) => {
      const network = new TestNetwork([remote]);
      expect(network.ask('request', options, { ...fields, giaddr: ELSEWHERE })).toBeUndefined();
      expect(network.outcome).toBe('OtherNetwork');
    },
  );
});

describe('a client that rebinds through a relay agent in its own network', () => {
  it('gets an ACK for its address and a NAK for another', () => {
    const network = new TestNetwork();
    expect(network.ask('request', {}, { giaddr: RELAY, ciaddr: ADDRESS })).toMatchObject({
      to: RELAY,
      yiaddr: ADDRESS,
    });
    network.ask('request', {}, { giaddr: RELAY, ciaddr: ip('10.77.0.77') });
    expect(network.outcome).toBe('Nak');
  });
});

describe('a client in a network of several subnets, with a relay agent address in another subnet', () => {
  const shared = lease({ settings: settings({ others: [{ subnet: ip('192.168.7.0'), prefix: 24 }] }) });

  it.each([
    ['DISCOVER', 'discover', {}, {}, 'Offer'],
    ['choice of this server', 'request', { [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS }, {}, 'Ack'],
    ['request for its lease', 'request', { [requestedAddress]: ADDRESS }, {}, 'Ack'],
    ['renewal', 'request', {}, { ciaddr: ADDRESS }, 'Ack'],
    ['request for an address of the other subnet', 'request', { [requestedAddress]: ip('192.168.7.7') }, {}, 'Nak'],
  ] as const)('is in its own network with its %s', (_name, type, options, fields, outcome) => {
    const network = new TestNetwork([shared]);
    expect(network.ask(type, options, { ...fields, giaddr: ELSEWHERE })).toMatchObject({ to: ELSEWHERE });
    expect(network.outcome).toBe(outcome);
  });

  it('is not in its own network with a third subnet', () => {
    const network = new TestNetwork([shared]);
    expect(network.ask('discover', {}, { giaddr: ip('192.168.8.1') })).toBeUndefined();
    expect(network.outcome).toBe('UnknownRelay');
  });
});

describe('the network of a client', () => {
  const home = [10, 77, 0, 0];

  it("comes from link selection, not from the agent's address (RFC 3527)", () => {
    const options = information([5, ...home] as [number, ...number[]]);
    expect(new TestNetwork([remote]).ask('discover', options, { giaddr: ELSEWHERE })).toMatchObject({ to: ELSEWHERE });
  });

  it('comes from subnet selection, which is echoed (RFC 3011)', () => {
    const options = { [OPTION.subnetSelection]: ip('10.77.0.0') };
    const offer = new TestNetwork([remote]).ask('discover', options, { giaddr: ELSEWHERE });
    expect(offer?.option(OPTION.subnetSelection)).toBe('0a4d0000');
  });

  it('comes from link selection rather than subnet selection', () => {
    const options = {
      ...information([5, ...home] as [number, ...number[]]),
      [OPTION.subnetSelection]: ip('192.168.7.0'),
    };
    expect(new TestNetwork([remote]).ask('discover', options, { giaddr: ELSEWHERE })).toBeDefined();
  });

  it('matches any address if its prefix is 0', () => {
    const network = new TestNetwork([lease({ settings: settings({ subnet: 0, prefix: 0 }) })]);
    expect(network.ask('discover', {}, { giaddr: ELSEWHERE })?.option(OPTION.subnetMask)).toBe('00000000');
  });
});

describe('a relay agent with server identifier override (RFC 5107)', () => {
  const override = information([11, 192, 168, 7, 1]);
  const fields = { giaddr: RELAY };

  it('is the server identifier in the answer', () => {
    const offer = new TestNetwork().ask('discover', override, fields);
    expect(offer).toMatchObject({ from: SERVER, to: RELAY });
    expect(offer?.option(serverIdentifier)).toBe('c0a80701');
  });

  it('is accepted as the chosen server', () => {
    const options = { ...override, [serverIdentifier]: ip('192.168.7.1'), [requestedAddress]: ADDRESS };
    expect(new TestNetwork().ask('request', options, fields)?.option(serverIdentifier)).toBe('c0a80701');
  });
});
