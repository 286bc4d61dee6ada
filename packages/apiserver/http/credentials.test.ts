import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { webSocketToken } from './credentials.ts';

const TOKEN = 'base64url.bearer.authorization.k8s.io.czNjcjN0';

function asking(protocols?: string, upgrade = 'websocket'): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = { upgrade, ...(protocols === undefined ? {} : { 'sec-websocket-protocol': protocols }) };
  return request;
}

describe('a bearer token among the subprotocols of a WebSocket', () => {
  it('is removed from the subprotocols', () => {
    expect(webSocketToken(asking(`plain.kubevirt.io, ${TOKEN}`))).toEqual({
      token: 's3cr3t',
      protocols: 'plain.kubevirt.io',
    });
  });

  it('is ignored without another subprotocol', () => {
    expect(webSocketToken(asking(TOKEN))).toBeUndefined();
  });

  it('is ignored if there are two', () => {
    expect(webSocketToken(asking(`${TOKEN},${TOKEN},plain.kubevirt.io`))).toBeUndefined();
  });

  it('is ignored if it is not unpadded base64url', () => {
    expect(webSocketToken(asking(`${TOKEN}==, plain.kubevirt.io`))).toBeUndefined();
  });

  it('is ignored if the request is not a WebSocket upgrade', () => {
    expect(webSocketToken(asking(`plain.kubevirt.io,${TOKEN}`, 'h2c'))).toBeUndefined();
    expect(webSocketToken(asking())).toBeUndefined();
  });
});
