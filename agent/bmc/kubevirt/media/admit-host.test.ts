import { describe, expect, it } from 'vitest';
import { admitHost } from './image-server.ts';

async function admitted(image: string, allowedHosts: readonly string[] = []): Promise<readonly string[]> {
  return await admitHost(new URL(image), allowedHosts, {
    allowsLoopback: false,
    ownApi: { host: '10.96.0.1', port: 443 },
    resolve: (hostName) => Promise.resolve(hostName === 'empty.example' ? [] : ['192.0.2.80']),
  });
}

describe('images may come', () => {
  it.each([
    ['http://images.example/a', ['images.example']],
    ['http://Images.Example:8080/a', ['IMAGES.example:8080']],
    ['http://anywhere.example/a', []],
  ])('from %s where the owner lists %j', async (image, allowed) => {
    expect(await admitted(image, allowed)).toEqual(['192.0.2.80']);
  });

  it('from an address that none comes from unasked where the owner lists it', async () => {
    expect(await admitted('http://[::1]/a', ['::1'])).toEqual(['::1']);
  });
});

describe('images may not come', () => {
  it.each<[string, string, string[]?]>([
    [
      'http://images.example.evil/a',
      'images may not come from images.example.evil: spec.redfish.virtualMedia.allowedHosts of the VirtualMachineBMC ' +
        'names the hosts that they may come from',
      ['images.example'],
    ],
    ['https://10.96.0.1/a', 'images may not come from 10.96.0.1, which is the Kubernetes API: name an image server'],
    [
      'http://127.0.0.1:8080/a',
      'images may not come from 127.0.0.1:8080, which is an address of this machine itself: name another server, or ' +
        'have this address put into spec.redfish.virtualMedia.allowedHosts of the VirtualMachineBMC',
    ],
    ['http://empty.example/a', 'empty.example has no address'],
  ])('from %s, and it is said what to do', async (image, message, allowed) => {
    await expect(admitted(image, allowed)).rejects.toMatchObject({ code: 'NotSupported', message });
  });
});
