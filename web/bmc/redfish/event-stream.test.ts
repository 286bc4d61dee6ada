import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listen } from './event-stream.ts';

/** A document that the test hides. */
class FakeDocument extends EventTarget {
  hidden = false;

  show(isShown: boolean): void {
    this.hidden = !isShown;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

let shown: FakeDocument;
beforeEach(() => {
  vi.useFakeTimers();
  shown = new FakeDocument();
  vi.stubGlobal('document', shown);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A BMC whose event streams are written by the test. */
function bench() {
  const streams: { say: (text: string) => void; signal: AbortSignal; headers: Record<string, string> }[] = [];
  const told: unknown[] = [];
  const page = new AbortController();
  const open = async (_path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    signal.addEventListener('abort', () => {
      writer.abort(signal.reason).catch(() => undefined);
    });
    streams.push({ say: (text) => void writer.write(new TextEncoder().encode(text)), signal, headers });
    return await Promise.resolve(new Response(readable));
  };
  const ended = listen(
    { open },
    { event: ({ Message }) => told.push(Message), live: (isLive) => told.push(isLive) },
    page.signal,
  );
  return { streams, told, page, ended };
}

it('opens a silent stream again, after the last event that it knows', async () => {
  const { streams, told, page, ended } = bench();
  await vi.advanceTimersByTimeAsync(0);
  streams[0]?.say('id: 7\ndata: {"Events":[{"Message":"one"}]}\n\n');
  for (let count = 0; count < 4; count += 1) {
    await vi.advanceTimersByTimeAsync(15_000);
    streams[0]?.say(': alive\n\n');
  }
  await vi.advanceTimersByTimeAsync(0);
  expect([streams.length, told]).toEqual([1, [true, 'one']]);
  await vi.advanceTimersByTimeAsync(46_000);
  expect([streams.length, streams[1]?.headers, told]).toEqual([
    2,
    { 'Last-Event-ID': '7' },
    [true, 'one', false, true],
  ]);
  page.abort();
  await ended;
  expect([streams.map(({ signal }) => signal.aborted), vi.getTimerCount()]).toEqual([[true, true], 0]);
});

it('leaves no stream open that it does not understand', async () => {
  const { streams, page, ended } = bench();
  await vi.advanceTimersByTimeAsync(0);
  streams[0]?.say('data: {\n\n');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(streams.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  page.abort();
  await ended;
});

it('is closed while the page is hidden, and then goes on where it was', async () => {
  const { streams, told, page, ended } = bench();
  await vi.advanceTimersByTimeAsync(0);
  streams[0]?.say('id: 7\ndata: {"Events":[{"Message":"one"}]}\n\n');
  shown.show(false);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(streams.map(({ signal }) => signal.aborted)).toEqual([false]);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(streams.map(({ signal }) => signal.aborted)).toEqual([true]);
  shown.show(true);
  await vi.advanceTimersByTimeAsync(0);
  expect([streams[1]?.headers, told]).toEqual([{ 'Last-Event-ID': '7' }, [true, 'one', false, true]]);
  page.abort();
  await ended;
  expect(vi.getTimerCount()).toBe(0);
});

it('stays open while the page is hidden for a moment', async () => {
  const { streams, page, ended } = bench();
  await vi.advanceTimersByTimeAsync(0);
  for (let count = 0; count < 3; count += 1) {
    shown.show(false);
    await vi.advanceTimersByTimeAsync(9_000);
    shown.show(true);
  }
  await vi.advanceTimersByTimeAsync(15_000);
  expect(streams.map(({ signal }) => signal.aborted)).toEqual([false]);
  page.abort();
  await ended;
});

it('leaves connections of the browser to requests when many pages are shown', async () => {
  const pages = Array.from({ length: 5 }, bench);
  const open = () => pages.map(({ streams }) => streams.filter(({ signal }) => !signal.aborted).length);
  await vi.advanceTimersByTimeAsync(0);
  expect(open()).toEqual([1, 1, 1, 0, 0]);
  pages[3]?.page.abort();
  pages[1]?.page.abort();
  await pages[1]?.ended;
  await vi.advanceTimersByTimeAsync(0);
  expect(open()).toEqual([1, 0, 1, 0, 1]);
  for (const { page } of pages) page.abort();
  await Promise.all(pages.map(({ ended }) => ended));
  expect(vi.getTimerCount()).toBe(0);
});
