import { expect, it } from 'vitest';
import { admitDestination, RefusedDestination } from './post-event.ts';

async function admitted(url: string, hosts: readonly string[] = []): Promise<readonly string[]> {
  return await admitDestination(new URL(url), {
    allowedHosts: () => hosts,
    allowedHostsSetting: 'the list of hosts',
    trustAdvice: '',
    allowsLoopback: false,
    ownApi: { host: '10.96.0.1', port: 443 },
    resolve: (name) => Promise.resolve(name === 'listener.example' ? ['192.0.2.80', '127.0.0.1'] : []),
  });
}

it('returns only the admitted addresses of a name', async () => {
  expect(await admitted('https://listener.example/')).toEqual(['192.0.2.80']);
  expect(await admitted('http://127.0.0.1/', ['127.0.0.1'])).toEqual(['127.0.0.1']);
});

it.each<[string, string, string[]?]>([
  [
    'https://listener.example/',
    'Events may not be sent to listener.example: the list of hosts lists the allowed hosts.',
    ['other.example'],
  ],
  ['https://10.96.0.1/', 'Events may not be sent to 10.96.0.1, which is the platform API: name a listener.'],
  [
    'http://127.0.0.1:80/',
    'Events may not be sent to 127.0.0.1, which is an address of this machine itself: name another listener, or add ' +
      'this address to the list of hosts.',
  ],
  ['http://empty.example/', 'empty.example has no address.'],
])('refuses %s with a sentence that says what to do', async (url, sentence, hosts) => {
  const refusal: unknown = await admitted(url, hosts).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RefusedDestination);
  expect((refusal as Error).message).toBe(sentence);
});
