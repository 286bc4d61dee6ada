import { expect, it } from 'vitest';
import { type DhcpOption, encodeDhcpOption } from './dhcp-options.ts';

const GOOD: [DhcpOption['type'], string, number[]][] = [
  ['text', 'boot.ipxe', [...Buffer.from('boot.ipxe')]],
  ['text', ' two words ', [...Buffer.from(' two words ')]],
  ['ip', '10.0.0.1', [10, 0, 0, 1]],
  ['ips', '10.0.0.1, 192.168.0.2', [10, 0, 0, 1, 192, 168, 0, 2]],
  ['uint8', '255', [255]],
  ['uint16', '258', [1, 2]],
  ['uint32', '4294967295', [255, 255, 255, 255]],
  ['boolean', 'true', [1]],
  ['boolean', '0', [0]],
  ['hex', '01:0a ff', [1, 10, 255]],
  ['hex', '0x010A', [1, 10]],
];

it.each(GOOD)('encodes %s "%s"', (type, value, bytes) => {
  expect([...(encodeDhcpOption({ type, value }) ?? [])]).toEqual(bytes);
});

const BAD: [DhcpOption['type'], string][] = [
  ['text', ''],
  ['text', 'a\0b'],
  ['ip', '10.0.0.256'],
  ['ip', '10.0.0.1,10.0.0.2'],
  ['ips', '10.0.0.1,'],
  ['uint8', '256'],
  ['uint16', '-1'],
  ['uint32', '4294967296'],
  ['uint32', '1e3'],
  ['boolean', 'yes'],
  ['hex', '012'],
  ['hex', 'xyz'],
  ['hex', ''],
];

it.each(BAD)('rejects %s "%s"', (type, value) => {
  expect(encodeDhcpOption({ type, value })).toBeUndefined();
});
