import { describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '@groundcrew/controller-runtime';
import { aGuest, aVm, aVmi } from '../../testing/builders.ts';
import { DisplayBench, onNode } from '../../testing/console-bench.ts';

const OFF = 'Off: the machine is off; its screen comes when it is on';
const TAKEN = 'Taken: another viewer has taken the screen; press a key to take it back';
const PICTURE = Buffer.from('89504e470d0a1a0a00', 'hex');

describe('the screen of a machine', () => {
  it('is one stream after the other, through reboots and migrations', async () => {
    const bench = new DisplayBench();
    const line = await bench.open();
    bench.socket.say('one');
    await bench.see(onNode('node-2'));
    bench.socket.listener.closed(false);
    await bench.clock.advance(0);
    line.write(Buffer.from('x'));
    bench.socket.say('two');
    bench.socket.listener.closed(false);
    await bench.see(undefined);
    line.write(Buffer.from('lost'));
    expect(bench.told).toEqual(['opened', 'received one', 'opened', 'received two', OFF]);
    expect([bench.socket.sent, line.buffered]).toEqual(['x', 0]);
    await bench.see(onNode('node-1', { uid: 'vmi-2' }));
    line.close();
    expect([bench.told.at(-1), bench.socket.isClosed, bench.clock.timers]).toEqual(['opened', true, 0]);
  });

  it('is taken back from another client on request only', async () => {
    const bench = new DisplayBench();
    const line = await bench.open();
    line.take();
    bench.socket.listener.closed(false);
    await bench.clock.advance(60_000);
    line.write(Buffer.from('x'));
    expect([bench.told, bench.attempts]).toEqual([['opened', TAKEN], 1]);
    line.take();
    await bench.clock.advance(0);
    expect(bench.told).toEqual(['opened', TAKEN, 'opened']);
  });

  it('is opened again later if its bytes are not understood', async () => {
    const bench = new DisplayBench();
    const line = await bench.open();
    line.restart();
    expect(bench.socket.isClosed).toBe(true);
    line.restart();
    await bench.clock.advance(1_000);
    expect(bench.told).toEqual(['opened', 'Lost: the screen was lost; it is being opened again', 'opened']);
  });

  it('is closed by the next one', async () => {
    const bench = new DisplayBench();
    await bench.open();
    const { socket } = bench;
    await bench.open();
    expect([socket.isClosed, bench.socket.isClosed]).toEqual([true, false]);
  });

  it('can be paused', async () => {
    const bench = new DisplayBench();
    const line = await bench.open();
    line.pause();
    expect(bench.socket.isPaused).toBe(true);
    line.resume();
    expect(bench.socket.isPaused).toBe(false);
  });
});

describe('a picture of the screen', () => {
  it('comes from KubeVirt', async () => {
    const bench = new DisplayBench();
    bench.answer = () => Promise.resolve(PICTURE);
    expect(await bench.display.screenshot()).toEqual(PICTURE);
    const path = '/apis/subresources.kubevirt.io/v1/namespaces/vms/virtualmachineinstances/a/vnc/screenshot';
    expect([bench.told, bench.clock.timers]).toEqual([[path], 0]);
  });

  it.each([
    [
      '500 of a machine that has just stopped',
      refusal(500, 'VMI is not running'),
      'InvalidState',
      'the machine is off',
    ],
    [
      '500 of a missing VMI',
      refusal(500, 'virtualmachineinstance.kubevirt.io "a" not found'),
      'InvalidState',
      'is off',
    ],
    ['500 without graphics', refusal(500, 'No graphics devices are present.'), 'NotSupported', 'no graphics device'],
    [
      '500 of another kind',
      refusal(500, 'dial tcp'),
      'Unavailable',
      'KubeVirt has not made the picture: GET x: 500 dial',
    ],
    ['401 of virt-api', refusal(401, ''), 'Forbidden', 'the BMC may not look at the screen'],
    ['403', refusal(403, 'forbidden: no'), 'Forbidden', 'forbidden: no'],
    ['429', refusal(429, 'slow down'), 'Busy', 'overloaded'],
    ['no answer', new TransportError('GET x: ECONNREFUSED'), 'Unavailable', 'ECONNREFUSED'],
  ])('is refused in words: %s', async (_name, error, code, message) => {
    const bench = new DisplayBench();
    bench.answer = () => Promise.reject(error);
    const expected = { code, message: expect.stringContaining(message) as string };
    await expect(bench.display.screenshot()).rejects.toMatchObject(expected);
  });

  it('is refused if it is no picture', async () => {
    const bench = new DisplayBench();
    bench.answer = () => Promise.resolve(Buffer.from('<html>'));
    await expect(bench.display.screenshot()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('is given up after 10 s', async () => {
    const bench = new DisplayBench();
    bench.answer = () => new Promise(() => undefined);
    const picture = bench.display.screenshot();
    const refused = expect(picture).rejects.toMatchObject({ code: 'Timeout' });
    await bench.clock.advance(10_000);
    await refused;
  });

  it('is not asked of a machine that is off', async () => {
    const bench = new DisplayBench();
    bench.vmi = undefined;
    await expect(bench.display.screenshot()).rejects.toMatchObject({ code: 'InvalidState' });
    expect(bench.pictures).toBe(0);
  });
});

describe('a machine without a graphics device', () => {
  const guest = aGuest();
  const devices = { ...guest.domain.devices, autoattachGraphicsDevice: false };
  const without = { guest: { ...guest, domain: { ...guest.domain, devices } } };
  it.each([
    ['on', { vmi: aVmi(without), vm: aVm() }],
    ['off', { vmi: undefined, vm: aVm(without) }],
  ])('says so while it is %s', async (_name, parts) => {
    const bench = new DisplayBench();
    Object.assign(bench, parts);
    expect(bench.display.isPresent()).toBe(false);
    await expect(bench.open()).rejects.toMatchObject({ code: 'NotSupported' });
    await expect(bench.display.screenshot()).rejects.toMatchObject({ code: 'NotSupported' });
  });
});

function refusal(status: number, message: string): ApiError {
  return new ApiError('GET x', status, message);
}
