import { describe, expect, it } from 'vitest';
import { decodeSessionlessPacket15, encodeSessionlessPacket15 } from './session-header.ts';

/** The first packet of ipmitool: Get Channel Authentication Capabilities. */
const PACKET = '0600ff07' + '00' + '00000000' + '00000000' + '09' + '2018c88100388e04b5';

describe('an IPMI 1.5 packet outside of a session', () => {
  it('contains an IPMI message', () => {
    const message = Buffer.from('2018c88100388e04b5', 'hex');
    expect(encodeSessionlessPacket15(message).toString('hex')).toBe(PACKET);
    expect(decodeSessionlessPacket15(Buffer.from(PACKET, 'hex'))).toEqual(message);
  });

  it('may have a legacy pad byte after the message', () => {
    expect(decodeSessionlessPacket15(Buffer.from(`${PACKET}00`, 'hex'))).toHaveLength(9);
  });

  it.each([
    ['0600ff07', /session header needs 14 bytes/],
    [PACKET.slice(0, 26), /session header needs 14 bytes/],
    [PACKET.slice(0, -2), /payload needs 23 bytes/],
  ])('names the truncated field in %s', (hex, message) => {
    expect(() => decodeSessionlessPacket15(Buffer.from(hex, 'hex'))).toThrow(message);
  });

  it.each([
    ['authentication', PACKET.replace('0600ff0700', '0600ff0702')],
    ['a session', `0600ff07${'00'.repeat(5)}01000000${PACKET.slice(26)}`],
  ])('refuses %s', (_name, hex) => {
    expect(() => decodeSessionlessPacket15(Buffer.from(hex, 'hex'))).toThrow(
      expect.objectContaining({ code: 'Unsupported' }),
    );
  });
});
