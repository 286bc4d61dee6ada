import { describe, expect, it } from 'vitest';
import { cipherSuite } from './cipher-suite.ts';
import {
  decodeOpenSessionRequest,
  decodeOpenSessionResponse,
  decodeRefusal,
  encodeOpenSessionRequest,
  encodeOpenSessionResponse,
  encodeRefusal,
} from './open-session.ts';
import { consoleSessionId, managedSessionId } from './session-id.ts';

/** As ipmitool sends it for suite 17. */
const REQUEST = '0000' + '0000' + 'a4a3a2a0' + '0000000803000000' + '0100000804000000' + '0200000801000000';

describe('Open Session Request', () => {
  const request = {
    tag: 0,
    maxPrivilege: 0,
    consoleId: consoleSessionId(0xa0a2a3a4),
    authentication: 3,
    integrity: 4,
    confidentiality: 1,
  };

  it('contains tag, privilege, session and three algorithms', () => {
    expect(decodeOpenSessionRequest(Buffer.from(REQUEST, 'hex'))).toEqual(request);
    expect(encodeOpenSessionRequest(request).toString('hex')).toBe(REQUEST);
  });

  it('leaves the choice of an algorithm to the BMC with a payload of length 0', () => {
    const hex = REQUEST.replace('0100000804000000', '0100000000000000');
    expect(decodeOpenSessionRequest(Buffer.from(hex, 'hex'))).toEqual({ ...request, integrity: undefined });
  });

  it.each(['', REQUEST.slice(0, 14)])('without the session ID is dropped: %j', (hex) => {
    expect(() => decodeOpenSessionRequest(Buffer.from(hex, 'hex'))).toThrow(/Open Session Request needs 8 bytes/);
  });

  it.each([
    ['of another type: invalid payload type', REQUEST.replace('01000008', '07000008'), 0x03],
    ['of another length: illegal parameter', REQUEST.replace('01000008', '01000009'), 0x12],
    ['that is missing: illegal parameter', REQUEST.slice(0, 48), 0x12],
    ['that is cut: illegal parameter', REQUEST.slice(0, -2), 0x12],
  ])('is refused for an algorithm payload %s', (_name, hex, status) => {
    const { tag, consoleId } = request;
    expect(decodeOpenSessionRequest(Buffer.from(hex, 'hex'))).toEqual({ tag, status, consoleId });
  });
});

describe('Open Session Response', () => {
  const response = {
    tag: 5,
    maxPrivilege: 4,
    consoleId: consoleSessionId(0xa0a2a3a4),
    managedId: managedSessionId(0x01020304),
    suite: cipherSuite(3),
  };

  it('contains the privilege, both session IDs and the algorithms', () => {
    const payload = encodeOpenSessionResponse(response);
    expect(payload.toString('hex')).toBe(
      '05000400' + 'a4a3a2a0' + '04030201' + '0000000801000000' + '0100000801000000' + '0200000801000000',
    );
    const suite = { authentication: 1, integrity: 1, confidentiality: 1 };
    expect(decodeOpenSessionResponse(payload)).toEqual({ ...response, suite });
  });

  it('rejects 35 bytes as too short', () => {
    expect(() => decodeOpenSessionResponse(Buffer.alloc(35))).toThrow(/Open Session Response needs 36 bytes/);
  });
});

describe('Refusal', () => {
  const refusal = { tag: 5, status: 0x11, consoleId: consoleSessionId(0xa0a2a3a4) } as const;

  it('contains tag, status and session', () => {
    expect(encodeRefusal(refusal).toString('hex')).toBe('05110000a4a3a2a0');
    expect(decodeRefusal(encodeRefusal(refusal))).toEqual(refusal);
  });

  it('rejects 7 bytes as too short', () => {
    expect(() => decodeRefusal(Buffer.alloc(7))).toThrow(/RMCP\+ status needs 8 bytes/);
  });
});
