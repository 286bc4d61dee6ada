import { describe, expect, it } from 'vitest';
import { uncommonAddress } from './uncommon-address.ts';

describe('uncommonAddress', () => {
  it.each([
    ['0.0.0.0', 'an unspecified address'],
    ['0.1.2.3', 'an unspecified address'],
    ['::', 'an unspecified address'],
    ['127.0.0.1', 'an address of this machine itself'],
    ['127.255.255.254', 'an address of this machine itself'],
    ['::1', 'an address of this machine itself'],
    ['::ffff:127.0.0.1', 'an address of this machine itself'],
    ['::ffff:7f00:1', 'an address of this machine itself'],
    ['64:ff9b::127.0.0.1', 'an address of this machine itself'],
    ['169.254.169.254', 'a link-local address'],
    ['::ffff:a9fe:a9fe', 'a link-local address'],
    ['64:ff9b::a9fe:a9fe', 'a link-local address'],
    ['2002:a9fe:a9fe::1', 'a link-local address'],
    ['::169.254.169.254', 'a link-local address'],
    ['::a9fe:a9fe', 'a link-local address'],
    ['::127.0.0.1', 'an address of this machine itself'],
    ['::ffff:0:169.254.169.254', 'a link-local address'],
    ['64:ff9b:1::169.254.169.254', 'a link-local address'],
    ['64:ff9b:1:a9fe:a9:fe00::', 'a link-local address'],
    ['64:ff9b:1:a9:fe:a9fe::', 'a link-local address'],
    ['64:ff9b:1:7:a9:fea9:fe00:0', 'a link-local address'],
    ['2001:0:a9fe:a9fe::1', 'a link-local address'],
    ['2001:0:c000:201:0:0:5601:5601', 'a link-local address'],
    ['fe80::1', 'a link-local address'],
    ['fe80::1%eth0', 'a link-local address'],
    ['febf:ffff::1', 'a link-local address'],
    ['100.100.100.200', "an address of a cloud's own services"],
    ['168.63.129.16', "an address of a cloud's own services"],
    ['fd00:ec2::254', "an address of a cloud's own services"],
    ['fd00:100::100:200', "an address of a cloud's own services"],
    ['192.0.0.192', "an address of a cloud's own services"],
    ['fd00:c1::a9fe:a9fe', "an address of a cloud's own services"],
    ['fd20:ce::254', "an address of a cloud's own services"],
    ['fd00:42::42', "an address of a cloud's own services"],
    ['fd00:a9fe:a9fe::1', "an address of a cloud's own services"],
    ['224.0.0.1', 'a multicast address'],
    ['239.255.255.250', 'a multicast address'],
    ['ff02::1', 'a multicast address'],
    ['255.255.255.255', 'a broadcast address'],
    ['listener.example', 'no address'],
    ['', 'no address'],
  ])('classifies %s as %s', (address, kind) => {
    expect(uncommonAddress(address)).toBe(kind);
  });

  it.each([
    '10.96.0.1',
    '172.16.3.4',
    '192.168.1.1',
    '100.64.0.7',
    '192.0.2.1',
    '8.8.8.8',
    'fd12::7',
    '2001:db8::1',
    '64:ff9b:1::10.0.0.1',
    '::192.0.2.1',
    '2001:0:c000:201:0:0:3fff:fdfe',
  ])('returns undefined for %s', (address) => {
    expect(uncommonAddress(address)).toBeUndefined();
  });
});
