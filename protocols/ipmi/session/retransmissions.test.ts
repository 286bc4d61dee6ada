import { describe, expect, it } from 'vitest';
import type { RequestMessage } from '../message/lan-message.ts';
import { aRequest } from '../testing/a-request.ts';
import { Retransmissions } from './retransmissions.ts';

const RESPONSE = Buffer.from('response');

function request(overrides: Partial<RequestMessage> = {}): RequestMessage {
  return aRequest({ netFn: 0, sequence: 7, command: 2, data: Buffer.of(1), ...overrides });
}

describe('Retransmissions', () => {
  it('forgets a request after 30 seconds', () => {
    const known = new Retransmissions();
    known.begin(request(), true, 0)(RESPONSE);
    expect(known.find(request(), 30_001)).toBeUndefined();
  });

  it.each<[string, Partial<RequestMessage>]>([
    ['sequence number', { sequence: 8 }],
    ['data', { data: Buffer.of(0) }],
    ['command', { command: 8 }],
    ['network function', { netFn: 6 }],
    ['requester', { requesterAddress: 0x82 }],
  ])('treats a request with another %s as new', (_name, overrides) => {
    const known = new Retransmissions();
    known.begin(request(), true, 0)(RESPONSE);
    expect(known.find(request(overrides), 1)).toBeUndefined();
  });
});
