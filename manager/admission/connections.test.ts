import { Agent, request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { makeAuthority, makeServerCertificate, type KeyPair } from '../authority/index.ts';
import { AdmissionServer } from './admission-server.ts';
import type { ConnectionLimits } from './connections.ts';

const API_SERVER = '127.0.0.1';
/** Five pods of an attacker. Each of them can take a quarter of all places. */
const ATTACKERS = [2, 3, 4, 5, 6].map((last) => `127.0.0.${last}`);
/** Limits for tests with many TLS handshakes, which take 15 ms on a loaded machine. */
const FEW = { all: 16, ofSource: 4 };

const REVIEW = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u', operation: 'CREATE', resource: { resource: 'things' }, object: { metadata: { name: 'x' } } },
});
const HEAD = `POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${REVIEW.length}\r\n`;

describe('connections of the admission server', () => {
  let authority: KeyPair;
  let certificate: KeyPair;
  let server: AdmissionServer;
  let evaluated = 0;
  let evaluation: Promise<unknown> = Promise.resolve();
  let sockets: Socket[] = [];

  beforeAll(async () => {
    authority = await makeAuthority({ name: 'test', lifetime: 86_400_000, now: Date.now() });
    const of = { names: [API_SERVER], lifetime: 86_400_000, now: Date.now() };
    certificate = await makeServerCertificate(authority, of);
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await server.close();
  });

  const serve = async (connections?: ConnectionLimits) => {
    evaluated = 0;
    evaluation = Promise.resolve();
    const handle = async () => {
      evaluated += 1;
      await evaluation;
      return { warnings: [] };
    };
    server = new AdmissionServer({ handle, logger: silentLogger, ...(connections && { connections }) });
    await server.serve({ host: '127.0.0.1', port: 0 }, certificate);
  };

  /** Opens a TCP connection and sends `bytes`. */
  const plain = async (localAddress: string, bytes = Buffer.alloc(0)) => {
    const socket = connect({ host: '127.0.0.1', port: server.port ?? 0, localAddress });
    await opened(socket, 'connect');
    socket.write(bytes);
    return socket;
  };
  /** Completes a handshake and sends `text`. */
  const secure = async (localAddress: string, text = '') => {
    const options = { host: '127.0.0.1', port: server.port ?? 0, localAddress, ca: authority.cert };
    const socket = connectTls(options);
    await opened(socket, 'secureConnect');
    socket.write(text);
    return socket;
  };
  /** Settles also if the server closes the connection. */
  const opened = async (socket: Socket, event: string) => {
    sockets.push(socket);
    socket.on('error', () => undefined).resume();
    await new Promise((resolve) => socket.once(event, resolve).once('close', resolve));
  };
  const flood = async (each: number, open: (localAddress: string) => Promise<Socket>) => {
    for (const address of ATTACKERS) await Promise.all(Array.from({ length: each }, () => open(address)));
  };
  /** Sends a review. @returns the status, or the error */
  const ask = async (agent: Agent | false = false, localAddress = API_SERVER) =>
    await new Promise<number | string>((resolve) => {
      const target = { host: '127.0.0.1', port: server.port, ca: authority.cert, localAddress, agent };
      const headers = { 'content-type': 'application/json', 'content-length': REVIEW.length };
      const options = { ...target, method: 'POST', path: '/validate', headers };
      const outgoing = httpsRequest(options, (response) => {
        response.resume().on('end', () => {
          resolve(response.statusCode ?? 0);
        });
      });
      outgoing.on('error', (error) => {
        resolve(String(error));
      });
      outgoing.end(REVIEW);
    });

  it.each<[string, ConnectionLimits | undefined, number, (localAddress: string) => Promise<Socket>]>([
    ['650 idle TCP connections', undefined, 130, (address) => plain(address)],
    ['650 half-done TLS handshakes', undefined, 130, (address) => plain(address, Buffer.from('1603010200', 'hex'))],
    ['connections without a request', FEW, 5, (address) => secure(address)],
    ['unfinished headers', FEW, 5, (address) => secure(address, HEAD)],
    ['unfinished bodies', FEW, 5, (address) => secure(address, `${HEAD}\r\n{`)],
    ['kept-alive connections', FEW, 5, (address) => secure(address, `${HEAD}\r\n${REVIEW}`)],
  ])('answers a review despite %s', async (_what, limits, each, open) => {
    await serve(limits);
    await flood(each, open);
    expect(await ask()).toBe(200);
  });

  it('keeps the connection of an API server, and closes those of the address that has the most', async () => {
    await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const connections = new Set<Socket>();
    agent.on('free', (socket: Socket) => connections.add(socket));
    expect(await ask(agent)).toBe(200);
    await flood(130, (address) => plain(address));
    expect(await ask(agent)).toBe(200);
    expect(connections.size).toBe(1);
    agent.destroy();
  });

  it('keeps a connection with reviews if idle ones of the same address exceed the limit', async () => {
    await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const connections = new Set<Socket>();
    agent.on('free', (socket: Socket) => connections.add(socket));
    expect(await ask(agent)).toBe(200);
    await Promise.all(Array.from({ length: 300 }, () => plain(API_SERVER)));
    expect(await ask(agent)).toBe(200);
    expect(connections.size).toBe(1);
    agent.destroy();
  });

  it('closes a review of the address that has the most if all connections wait for evaluations', async () => {
    await serve(FEW);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    evaluation = promise;
    const full = ATTACKERS.slice(0, FEW.all / FEW.ofSource).flatMap((address) =>
      Array.from({ length: 4 }, () => address),
    );
    await Promise.all(full.map((address) => secure(address, `${HEAD}\r\n${REVIEW}`)));
    await expect.poll(() => evaluated).toBe(FEW.all);
    const answer = ask();
    await expect.poll(() => evaluated).toBe(FEW.all + 1);
    resolve(undefined);
    expect(await answer).toBe(200);
  });

  it('reads a review although another address fills the memory for bodies', async () => {
    await serve();
    const size = 7 * 1024 * 1024;
    const head = HEAD.replace(/length: \d+/, `length: ${size}`);
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const socket = await secure('127.0.0.2', `${head}\r\n`);
        await new Promise<void>((resolve) => {
          socket.write(Buffer.alloc(size - 1, ' '), () => {
            resolve();
          });
        });
      }),
    );
    expect(await Promise.all(Array.from({ length: 20 }, () => ask()))).toEqual(Array.from({ length: 20 }, () => 200));
  });

  it('closes a connection with a second request before the first answer', async () => {
    await serve();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    evaluation = promise;
    const socket = await secure(API_SERVER, `${HEAD}\r\n${REVIEW}`.repeat(2));
    await new Promise((done) => socket.once('close', done));
    resolve(undefined);
    expect(await ask()).toBe(200);
  });
});
