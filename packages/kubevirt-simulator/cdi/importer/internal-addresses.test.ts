import { describe, expect, it } from 'vitest';
import { ANY_ADDRESS, publicAddressesOnly } from './internal-addresses.ts';

const url = new URL('http://files.example:8080/isos/a.iso');

describe('an address', () => {
  it.each([
    '10.1.2.3',
    '127.0.0.1',
    '169.254.169.254',
    '192.168.1.1',
    '172.31.0.1',
    '100.64.0.1',
    '::1',
    'fd00::1',
    'fe80::1',
    '::ffff:10.0.0.1',
  ])('%s is internal', (address) => {
    expect(publicAddressesOnly([])(address, url)).toBe(false);
    expect(ANY_ADDRESS(address, url)).toBe(true);
  });

  it.each(['93.184.216.34', '172.32.0.1', '2606:2800:220:1::1'])('%s is public', (address) => {
    expect(publicAddressesOnly([])(address, url)).toBe(true);
  });

  it.each([
    ['http://files.example:8080', true],
    ['http://files.example:8080/isos/', true],
    ['files.example:8080', true],
    ['http://files.example:8080/images/', false],
    ['https://files.example:8080', false],
    ['http://files.example', false],
    ['', false],
  ])('is allowed by %j: %s', (entry, allowed) => {
    expect(publicAddressesOnly([entry])('10.0.0.1', url)).toBe(allowed);
  });
});
