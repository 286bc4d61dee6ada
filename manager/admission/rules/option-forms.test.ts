import { expect, it } from 'vitest';
import { optionMismatch } from './option-forms.ts';
import type { DhcpOption } from '../../../api/index.ts';

it.each<[number, DhcpOption['type'], string]>([
  [3, 'ips', '10.0.0.1,10.0.0.2'],
  [3, 'ip', '10.0.0.1'],
  [3, 'hex', '0a000001'],
  [33, 'ips', '10.1.0.1,10.0.0.1'],
  [19, 'boolean', 'true'],
  [26, 'uint16', '9000'],
  [12, 'text', 'web'],
  [43, 'text', 'anything'],
  [3, 'ips', 'not an address'],
])('option %i of type %s may be %j', (code, type, value) => {
  expect(optionMismatch({ code, type, value })).toBeUndefined();
});

it.each<[number, DhcpOption['type'], string, string]>([
  [3, 'text', '10.0.0.1', 'is not a list of IPv4 addresses, which option 3 needs: use type ips'],
  [3, 'text', 'four', 'is not a list of IPv4 addresses'],
  [3, 'hex', '0a0000', 'is not a list of IPv4 addresses'],
  [1, 'ips', '255.255.255.0,255.255.255.0', 'is not an IPv4 address, which option 1 needs: use type ip'],
  [33, 'ips', '10.1.0.1', 'is not a list of pairs'],
  [26, 'uint32', '9000', 'is not a number of 16 bits, which option 26 needs: use type uint16'],
])('option %i of type %s may not be %j', (code, type, value, message) => {
  expect(optionMismatch({ code, type, value })).toContain(message);
});
