import { afterEach, expect, it, vi } from 'vitest';
import { logIn } from './client.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  ['/', 'omit'],
  ['/index.html', 'omit'],
  ['/clusters/bmc/vms/a/', 'same-origin'],
])('asks for no dialogue of the browser, and sends its cookies only to a proxy: %s', async (pathname, credentials) => {
  const asked = vi.fn<typeof fetch>(() => Promise.resolve(new Response('{}', { status: 401 })));
  vi.stubGlobal('location', { pathname });
  vi.stubGlobal('fetch', asked);
  await expect(logIn('admin', 'wrong', () => undefined)).rejects.toMatchObject({ status: 401 });
  const [, options] = asked.mock.calls[0] ?? [];
  expect(options).toMatchObject({ credentials, headers: { 'X-Requested-With': 'XMLHttpRequest' } });
});
