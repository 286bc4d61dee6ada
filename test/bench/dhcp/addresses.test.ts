import { expect, it } from 'vitest';
import { addressNumber, addressText, macNumber, macText } from './addresses.ts';

it('numbers the machines as perfdhcp does', () => {
  expect([macText(0), macText(255), macText(256), macText(9_999)]).toEqual([
    '00:0c:01:00:00:00',
    '00:0c:01:00:00:ff',
    '00:0c:01:00:01:00',
    '00:0c:01:00:27:0f',
  ]);
  expect(macNumber(256)).toBe(0x000c01_000100);
});

it('gives each machine its own address, outside the addresses of servers', () => {
  expect([addressText(0), addressText(256), addressText(9_999)]).toEqual(['10.77.1.0', '10.77.2.0', '10.77.40.15']);
  expect(addressNumber(0)).toBe(0x0a4d0100);
});
