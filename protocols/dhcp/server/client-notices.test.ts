import { describe, expect, it } from 'vitest';
import { MESSAGE_TYPE } from '../codec/header.ts';
import { OPTION } from '../options/option-code.ts';
import {
  ADDRESS,
  asking,
  ip,
  lease,
  mac,
  SERVER,
  settings,
  SIBLING,
  STRANGER,
  TestNetwork,
} from '../testing/test-network.ts';

const { requestedAddress, serverIdentifier } = OPTION;
const UNKNOWN = { macAddress: mac('52:54:00:99:99:99') };
const WRONG = ip('10.77.200.2');

function typeOf(answer: { option(code: number): string | undefined } | undefined): number | undefined {
  const value = answer?.option(OPTION.messageType);
  return value === undefined ? undefined : Number(`0x${value}`);
}

describe('DECLINE', () => {
  const options = { [serverIdentifier]: SERVER, [requestedAddress]: ADDRESS };

  it('is reported and gets no answer', () => {
    const network = new TestNetwork();
    expect(network.ask('decline', options)).toBeUndefined();
    expect(network.outcome).toBe('Noted');
    expect(network.told.declined).toEqual([lease()]);
  });

  it('is reported if it names a sibling: the next one may name this server', () => {
    const network = new TestNetwork();
    expect(network.ask('decline', { ...options, [serverIdentifier]: SIBLING })).toBeUndefined();
    expect(network.outcome).toBe('Noted');
    expect(network.told.declined).toEqual([lease()]);
  });

  it('does not block the client: its next DISCOVER gets an OFFER', () => {
    const network = new TestNetwork();
    network.ask('decline', options);
    expect(network.ask('discover')?.yiaddr).toBe(ADDRESS);
  });

  it.each([
    ['of another address', { ...options, [requestedAddress]: WRONG }, 'Ignored'],
    ['that names no server', { [requestedAddress]: ADDRESS }, 'Malformed'],
    ['that names a stranger', { ...options, [serverIdentifier]: STRANGER }, 'OtherServer'],
  ])('%s is not reported', (_name, asked, outcome) => {
    const network = new TestNetwork();
    expect(network.ask('decline', asked)).toBeUndefined();
    expect(network.outcome).toBe(outcome);
    expect(network.told.declined).toEqual([]);
  });
});

describe('RELEASE', () => {
  it('is reported, and the lease stays assigned', () => {
    const network = new TestNetwork();
    expect(network.ask('release', { [serverIdentifier]: SERVER }, { ciaddr: ADDRESS })).toBeUndefined();
    expect(network.outcome).toBe('Noted');
    expect(network.told.released).toEqual([lease()]);
    expect(network.ask('discover')?.yiaddr).toBe(ADDRESS);
  });

  it.each([
    ['of another address', { [serverIdentifier]: SERVER }, WRONG, 'Ignored'],
    ['that names no server', {}, ADDRESS, 'Malformed'],
    ['that names a stranger', { [serverIdentifier]: STRANGER }, ADDRESS, 'OtherServer'],
  ])('%s is not reported', (_name, options, ciaddr, outcome) => {
    const network = new TestNetwork();
    expect(network.ask('release', options, { ciaddr })).toBeUndefined();
    expect(network.outcome).toBe(outcome);
    expect(network.told.released).toEqual([]);
  });
});

describe('INFORM', () => {
  it('gets an ACK at its address, with options and without a lease time', () => {
    const network = new TestNetwork();
    const ciaddr = ip('10.77.3.3');
    const ack = network.ask('inform', asking(1, 3, 6, 51, 58, 59), { ciaddr });
    expect(ack).toMatchObject({ ciaddr, yiaddr: 0, to: ciaddr, port: 68 });
    expect(ack?.options.map(({ code }) => code)).toEqual([53, 54, 1, 3, 6]);
    expect(typeOf(ack)).toBe(MESSAGE_TYPE.ack);
    expect(network.told.acknowledged).toEqual([]);
  });

  it('gets no lease times, even if the pool sets them', () => {
    const options = [OPTION.renewalTime, OPTION.rebindingTime].map((code) => ({
      code,
      value: Uint8Array.of(0, 0, 1, 0),
    }));
    const network = new TestNetwork([lease({ settings: settings({ options }) })]);
    for (const asked of [asking(1, 58, 59), {}]) {
      const ack = network.ask('inform', asked, { ciaddr: ADDRESS });
      expect(ack?.option(OPTION.subnetMask)).toBe('ffff0000');
      expect(ack?.option(OPTION.renewalTime)).toBeUndefined();
      expect(ack?.option(OPTION.rebindingTime)).toBeUndefined();
    }
  });

  it('through a relay agent gets a direct answer, without option 82', () => {
    const options = { [OPTION.relayAgent]: Uint8Array.of(1, 1, 7) };
    const ack = new TestNetwork().ask('inform', options, { ciaddr: ADDRESS, giaddr: ip('10.77.0.9') });
    expect(ack).toMatchObject({ to: ADDRESS, port: 68 });
    expect(ack?.option(OPTION.relayAgent)).toBeUndefined();
  });

  it.each([
    ['of an address of another network', ip('192.0.2.1'), 'OtherNetwork'],
    ['without an address', 0, 'Malformed'],
  ])('%s gets no answer', (_name, ciaddr, outcome) => {
    const network = new TestNetwork();
    expect(network.ask('inform', {}, { ciaddr })).toBeUndefined();
    expect(network.outcome).toBe(outcome);
  });

  it('of an unknown client gets no answer', () => {
    expect(new TestNetwork().ask('inform', {}, { ...UNKNOWN, ciaddr: ADDRESS })).toBeUndefined();
  });
});
