import { expect, it } from 'vitest';
import { addressOf, AddressTexts } from './ipv4-text.ts';

const ADDRESSES: [string, number][] = [
  ['0.0.0.0', 0],
  ['10.0.0.1', 0x0a000001],
  ['127.0.0.1', 0x7f000001],
  ['192.168.255.7', 0xc0a8ff07],
  ['255.255.255.255', 0xffffffff],
];

it.each(ADDRESSES)('converts %s to a number and back', (text, address) => {
  expect(addressOf(text)).toBe(address);
  expect(new AddressTexts().of(address)).toBe(text);
});

it('AddressTexts is right after more addresses than its limit', () => {
  const texts = new AddressTexts();
  for (let address = 0; address < 10_000; address += 1) texts.of(address);
  expect(texts.of(5)).toBe('0.0.0.5');
  expect(texts.of(9_999)).toBe('0.0.39.15');
});
