import type { IncomingMessage, ServerResponse } from 'node:http';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { MemoryAccounts } from '../../testing/index.ts';
import type { Caller } from '../resource.ts';
import { FakeBmc } from '../testing/index.ts';
import { createEventHub } from './hub.ts';
import { Streams } from './stream.ts';

/** A response whose client reads nothing, according to `writableLength`. */
class Unread extends EventEmitter {
  readonly written: string[] = [];
  writableLength = 0;
  writableEnded = false;
  writeHead = (): this => this;
  write = (text: string): boolean => {
    if (this.writableEnded) throw new Error('write after end');
    this.written.push(text);
    this.writableLength += text.length;
    return false;
  };
  end = (): this => {
    this.writableEnded = true;
    return this;
  };
}

function bench() {
  const bmc = new FakeBmc();
  bmc.options.accounts = new MemoryAccounts({ username: 'admin', password: 'any' });
  const [account] = bmc.options.accounts.list();
  if (account === undefined) throw new Error('there is no account');
  const hub = createEventHub(bmc.options, () => Promise.resolve());
  const streams = new Streams({ ...bmc.context, events: hub });
  const requester = { protocol: 'Redfish', user: account.name, address: '192.0.2.1' } as const;
  const caller: Caller = { account, requester };
  const open = (headers: Record<string, string> = {}): Unread => {
    const response = new Unread();
    const request = { url: '/redfish/v1/EventService/SSE', headers };
    // Has all that a stream uses of both.
    streams.open(request as unknown as IncomingMessage, response as unknown as ServerResponse, caller);
    return response;
  };
  return { bmc, hub, streams, open };
}

describe('a stream', () => {
  it('sends heartbeats, the first at once', () => {
    const { bmc, open } = bench();
    const response = open();
    expect(response.written).toEqual([': alive\n\n']);
    bmc.runScheduled();
    bmc.runScheduled();
    expect(response.written).toEqual([': alive\n\n', ': alive\n\n', ': alive\n\n']);
  });

  it('ends if its client does not read and the buffer limit is reached; others continue', () => {
    const { hub, streams, open } = bench();
    const idle = open();
    const reader = open();
    const event = {
      messageId: 'Base.1.19.Success',
      message: 'x'.repeat(1024),
      messageArgs: [],
      severity: 'OK',
    } as const;
    for (let count = 0; count < 3000 && !idle.writableEnded; count += 1) {
      hub.publish(event);
      reader.writableLength = 0;
    }
    expect(idle.writableEnded).toBe(true);
    expect(idle.writableLength).toBeLessThan(1.1 * 1024 * 1024);
    expect(reader.writableEnded).toBe(false);
    expect(streams.ids()).toEqual(['SSE2']);
    const count = idle.written.length;
    hub.publish(event);
    expect(idle.written).toHaveLength(count);
  });

  it('ends at a heartbeat without buffer space, even if the client reads later', () => {
    const { bmc, streams, open } = bench();
    const response = open();
    response.writableLength = 2 * 1024 * 1024;
    bmc.runScheduled();
    expect(response.writableEnded).toBe(true);
    expect(streams.ids()).toEqual([]);
    response.writableLength = 0;
    bmc.runScheduled();
    expect(response.written).toEqual([': alive\n\n']);
  });

  it('ends on shutdown, with a reconnection time', () => {
    const { hub, streams, open } = bench();
    const response = open();
    hub.leave();
    expect(response.written.at(-1)).toMatch(/^retry: 2000\n: the service goes down/);
    expect(response.writableEnded).toBe(true);
    expect(streams.ids()).toEqual([]);
    const count = response.written.length;
    hub.leave();
    expect(response.written).toHaveLength(count);
    expect(open().writableEnded).toBe(true);
  });

  it('starts with new events if the last ID is invalid', () => {
    const { hub, open } = bench();
    hub.publish({ messageId: 'Base.1.19.Success', message: 'm', messageArgs: [], severity: 'OK' });
    for (const id of ['', 'nonsense', '-1', '1e999', '99999999999999999999']) {
      const response = open({ 'last-event-id': id });
      expect(response.written).toEqual([': alive\n\n']);
      response.emit('close');
    }
  });
});
