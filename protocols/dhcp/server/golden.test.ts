import { expect, it } from 'vitest';
import { OPTION } from '../options/option-code.ts';
import { asking, ip, lease, message, SERVER, settings, TestNetwork } from '../testing/test-network.ts';

/** Complete answers, checked by hand against RFC 2131 table 3 and RFC 2132. */
const network = new TestNetwork([lease({ hostname: 'vm-1', settings: settings({ dns: [ip('1.1.1.1')] }) })]);

const CLIENT_IDENTIFIER = '3d0701525400123456';
const HARDWARE = `525400123456${'00'.repeat(10)}`;
const NO_TEXT = '00'.repeat(192);
const COOKIE = '63825363';
const LEASE = '33040000a8c0' + '3a0400005460' + '3b04000093a8';

function client(): Record<number, Uint8Array> {
  return { [OPTION.clientIdentifier]: Uint8Array.of(1, 0x52, 0x54, 0, 0x12, 0x34, 0x56) };
}

function padded(hex: string): string {
  return hex.padEnd(600, '0');
}

it('golden: OFFER', () => {
  const offer = network.ask('discover', { ...client(), ...asking(3, 6, 12, 15) }, { secs: 7, flags: 0x8000 });
  expect(offer?.datagram.toString('hex')).toBe(
    padded(
      `020106001234567800008000` +
        `000000000a4dc8010000000000000000` +
        HARDWARE +
        NO_TEXT +
        COOKIE +
        '350102' +
        '36040a4d0001' +
        LEASE +
        '0104ffff0000' +
        '03040a4d00fe' +
        '060401010101' +
        '0f0b6578616d706c652e636f6d' +
        CLIENT_IDENTIFIER +
        '0c04766d2d31' +
        'ff',
    ),
  );
});

it('golden: ACK to a renewal through a relay agent', () => {
  const options = { ...client(), ...asking(3), [OPTION.relayAgent]: Uint8Array.of(1, 2, 0xca, 0xfe) };
  const ack = network.ask('request', options, { ciaddr: ip('10.77.200.1'), giaddr: ip('10.77.0.9'), hops: 1 });
  expect(ack?.datagram.toString('hex')).toBe(
    padded(
      `020106001234567800000000` +
        `0a4dc8010a4dc801000000000a4d0009` +
        HARDWARE +
        NO_TEXT +
        COOKIE +
        '350105' +
        '36040a4d0001' +
        LEASE +
        '0104ffff0000' +
        '03040a4d00fe' +
        CLIENT_IDENTIFIER +
        '52040102cafe' +
        'ff',
    ),
  );
});

it('golden: NAK', () => {
  const nak = network.ask('request', { ...client(), [OPTION.requestedAddress]: ip('10.0.0.1') });
  expect(nak?.datagram.toString('hex')).toBe(
    padded(
      `020106001234567800000000` +
        '00000000'.repeat(4) +
        HARDWARE +
        NO_TEXT +
        COOKIE +
        '350106' +
        '36040a4d0001' +
        `3818${Buffer.from('this is not your address').toString('hex')}` +
        CLIENT_IDENTIFIER +
        'ff',
    ),
  );
});

it('golden: ACK to INFORM', () => {
  const ack = network.send(message('inform', asking(6, 51), { ciaddr: ip('10.77.3.3') }));
  expect(ack?.datagram.toString('hex')).toBe(
    padded(
      `020106001234567800000000` +
        `0a4d0303${'00000000'.repeat(3)}` +
        HARDWARE +
        NO_TEXT +
        COOKIE +
        '350105' +
        '36040a4d0001' +
        '0104ffff0000' +
        '060401010101' +
        'ff',
    ),
  );
  expect(ack?.from).toBe(SERVER);
});
